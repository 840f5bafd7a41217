/* json_in.h -- checked reading of JSON values. The first error is printed with file, JSON path and what was expected; later ones are not
   printed, so that a reader may go on and test `failed` once at the end. */
#ifndef JSON_IN_H
#define JSON_IN_H

#include <cjson/cJSON.h>

/* json_note -- what a reader asks of a member, for the schema: its kind, and limits as of json_in_number, the number of elements (-1: any), or words. */
typedef enum json_kind { JSON_KEYS, JSON_NUMBER, JSON_INTEGER, JSON_BOOL, JSON_STRING, JSON_CHOICE, JSON_OBJECT, JSON_NUMBERS, JSON_INTEGERS, JSON_ARRAY,
                         JSON_NULL } json_kind;
typedef struct json_note {
    json_kind kind;
    double lo, hi;
    int open, n;
    const char *words; /* separated by spaces: of JSON_CHOICE; of JSON_KEYS all keys of the object */
} json_note;
typedef void json_note_fn(const char *path, const char *key, const json_note *what, void *user);

typedef struct json_in {
    const char *file;
    int failed;
    json_note_fn *note; /* called for every member that is asked for; NULL: for none */
    void *user;
} json_in;

/* json_in_note -- tells `note` of a member that is read without the functions below. */
void json_in_note(json_in *in, const char *path, const char *key, json_kind kind);

/* json_in_parse -- the root, or NULL after a message with the line. */
cJSON *json_in_parse(json_in *in, const char *text);
void json_in_error(json_in *in, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* json_in_keys -- object check: an object, no key outside of the list `known` (separated by spaces), no key twice. */
int json_in_keys(json_in *in, const cJSON *object, const char *path, const char *known);
/* json_in_listed -- 1 if the list `known` (separated by spaces) has the key. */
int json_in_listed(const char *key, const char *known);
enum { JSON_IN_ABOVE = 1, JSON_IN_BELOW = 2 };
/* json_in_number -- member `key` of object, or `fallback` when it is not there; lo <= value <= hi, open: JSON_IN_ABOVE strictly above lo,
   JSON_IN_BELOW strictly below hi, or both. */
double json_in_number(json_in *in, const cJSON *object, const char *path, const char *key, double fallback, double lo, double hi, int open);
int json_in_int(json_in *in, const cJSON *object, const char *path, const char *key, int fallback, int lo, int hi);
int json_in_bool(json_in *in, const cJSON *object, const char *path, const char *key, int fallback);
/* json_in_string -- NULL when it is not there. */
const char *json_in_string(json_in *in, const cJSON *object, const char *path, const char *key);
/* json_in_choice -- the number of the member's word in a list separated by spaces, or `otherwise` when it is not there. */
int json_in_choice(json_in *in, const cJSON *object, const char *path, const char *key, const char *words, int otherwise);
/* json_in_numbers, json_in_ints -- n numbers into out; 0 (out untouched) when the key is not there. */
int json_in_numbers(json_in *in, const cJSON *object, const char *path, const char *key, double *out, int n);
int json_in_ints(json_in *in, const cJSON *object, const char *path, const char *key, int *out, int n, int lo, int hi);
/* json_in_array -- the array member or NULL. */
const cJSON *json_in_array(json_in *in, const cJSON *object, const char *path, const char *key);
/* json_in_object -- the object member or NULL. */
const cJSON *json_in_object(json_in *in, const cJSON *object, const char *path, const char *key);

#endif /* JSON_IN_H */

/* schema.c -- the JSON Schema of scenes. Method: the reader of scenes reads small scenes that have every object of the format, and tells
   what it asks of each member (json_in.h). So the schema has the keys, the limits and the words of the reader itself; where types of bodies
   differ in a key, all that one of them takes is in it. What depends on several keys at once is checked by the reader alone. */
#include "schema.h"
#include "cli.h"
#include "scene.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* every object of the format; members whose value decides how they are read have one of each kind */
static const char *const schema_scenes[] = {
    "{\"dt\":1,\"solver_options\":{},\"dcd\":{},\"barrier\":{},\"layers\":{},\"geometric\":{},\"penalty\":{},\"explicit\":{},"
    "\"output\":{\"camera\":{\"eye\":[0,0,1]}},\"joints\":[{\"type\":\"hinge\",\"a\":\"x\"}],\"stitches\":[{\"a\":[\"x\",0],\"b\":[\"x\",0]"
    "}],\"bodies\":["
    "{\"type\":\"soft\",\"shape\":{\"box\":{}},\"material\":{\"damping\":{}},\"transform\":[{\"scale\":[1,1,1]},{\"rotate\":[0,0,0]},{"
    "\"translate\":[0,0,0]}],"
    "\"repeat\":{},\"contact\":{},\"filter\":{},\"air\":{},\"fix\":[{\"box\":[[0,0,0],[0,0,0]],\"motion\":{}},{\"vertices\":[0],\"motion\":"
    "[{}]}]},"
    "{\"type\":\"cloth\",\"shape\":{\"grid\":{}},\"material\":{}},{\"type\":\"rigid\",\"shape\":{\"sphere\":{}},\"material\":{}},"
    "{\"type\":\"static\",\"shape\":{\"plane\":{}}},{\"type\":\"rod\",\"shape\":{\"line\":{}},\"material\":{\"damping\":{},\"bend\":[1,1]}}"
    ","
    "{\"type\":\"points\",\"shape\":{\"net\":{}},\"material\":{\"damping\":{}}},{\"type\":\"kinematic\",\"keyframes\":\"x\",\"motion\":{}},"
    "{\"type\":\"kinematic\",\"mesh\":\"x\",\"motion\":[{}]}]}"};

/* members without which the reader refuses an object */
static const struct {
    const char *path, *keys;
} schema_required[] = {{"", "dt bodies"}, {"bodies[]", "type"}, {"joints[]", "type a"}, {"stitches[]", "a b"}, {"output.camera", "eye"}};

typedef struct schema_note {
    char *path, *key; /* indices left out: "bodies[].material" */
    json_note what;
} schema_note;

typedef struct schema {
    schema_note *notes;
    int n;
} schema;

/* a path without the numbers of indices */
static char *schema_path(const char *path)
{
    char *out = cli_copy(path), *to = out;
    int in_index = 0;
    for (; *path; path++) {
        in_index = *path == '[' ? 1 : *path == ']' ? 0 : in_index;
        if (!in_index || *path == '[')
            *to++ = *path;
    }
    *to = '\0';
    return out;
}

/* what is told again only widens the limits */
static void schema_tell(const char *path, const char *key, const json_note *what, void *user)
{
    schema *s = (schema *)user;
    char *plain = schema_path(path);
    schema_note *n;
    int i;
    for (i = 0; i < s->n; i++) {
        n = &s->notes[i];
        if (strcmp(n->path, plain) || strcmp(n->key, key) || n->what.kind != what->kind ||
            (what->kind == JSON_NUMBERS && n->what.n != what->n))
            continue;
        if (what->lo < n->what.lo || (what->lo <= n->what.lo && !(what->open & JSON_IN_ABOVE)))
            n->what.lo = what->lo, n->what.open = (n->what.open & ~JSON_IN_ABOVE) | (what->open & JSON_IN_ABOVE);
        if (what->hi > n->what.hi || (what->hi >= n->what.hi && !(what->open & JSON_IN_BELOW)))
            n->what.hi = what->hi, n->what.open = (n->what.open & ~JSON_IN_BELOW) | (what->open & JSON_IN_BELOW);
        if (what->kind != JSON_KEYS || !strcmp(what->words, n->what.words)) {
            free(plain);
            return;
        }
    }
    s->notes = (schema_note *)cli_grow(s->notes, (size_t)s->n + 1, sizeof *s->notes);
    n = &s->notes[s->n++];
    n->path = plain, n->key = cli_copy(key), n->what = *what;
}

static void schema_type(cJSON *o, const char *type) { cJSON_AddStringToObject(o, "type", type); }

/* an array of the words of a list */
static cJSON *schema_words(const char *words)
{
    cJSON *list = cJSON_CreateArray();
    char word[64];
    while (*words) {
        size_t n = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        cJSON_AddItemToArray(list, cJSON_CreateString(word));
        words += n + (words[n] == ' ');
    }
    return list;
}

static void schema_limits(cJSON *o, const json_note *w)
{
    if (w->lo > -HUGE_VAL)
        cJSON_AddNumberToObject(o, w->open & JSON_IN_ABOVE ? "exclusiveMinimum" : "minimum", w->lo);
    if (w->hi < HUGE_VAL)
        cJSON_AddNumberToObject(o, w->open & JSON_IN_BELOW ? "exclusiveMaximum" : "maximum", w->hi);
}

static cJSON *schema_object(const schema *s, const char *path);

/* 1 if the reader asks for keys of an object at the path */
static int schema_has_object(const schema *s, const char *path)
{
    int i;
    for (i = 0; i < s->n && (s->notes[i].what.kind != JSON_KEYS || strcmp(s->notes[i].path, path)); i++)
        ;
    return i < s->n;
}

/* one kind of value of a member */
static cJSON *schema_kind(const schema *s, const schema_note *n, const char *full)
{
    static const char *const types[] = {"object", "number", "integer", "boolean", "string", "string",
                                        "object", "array",  "array",   "array",   "null"};
    const json_note *w = &n->what;
    cJSON *o = cJSON_CreateObject(), *items;
    char inside[280];
    if (w->kind == JSON_OBJECT) {
        cJSON_Delete(o);
        return schema_object(s, full);
    }
    schema_type(o, types[w->kind]);
    if (w->kind == JSON_STRING)
        cJSON_AddNumberToObject(o, "minLength", 1);
    if (w->kind == JSON_CHOICE)
        cJSON_AddItemToObject(o, "enum", schema_words(w->words));
    if (w->kind == JSON_NUMBER || w->kind == JSON_INTEGER)
        schema_limits(o, w);
    snprintf(inside, sizeof inside, "%s[]", full);
    if (w->kind == JSON_ARRAY && schema_has_object(s, inside))
        cJSON_AddItemToObject(o, "items", schema_object(s, inside));
    if (w->kind == JSON_NUMBERS || w->kind == JSON_INTEGERS) {
        items = cJSON_AddObjectToObject(o, "items");
        schema_type(items, w->kind == JSON_NUMBERS ? "number" : "integer");
        if (w->kind == JSON_INTEGERS)
            schema_limits(items, w);
        if (w->n >= 0 && strcmp(n->key, "vertices")) /* the number of these is the file's */
            cJSON_AddNumberToObject(o, "minItems", w->n), cJSON_AddNumberToObject(o, "maxItems", w->n);
    }
    return o;
}

/* a member: its kinds, of which one must hold; none: any value */
static cJSON *schema_member(const schema *s, const char *path, const char *key)
{
    cJSON *any = cJSON_CreateArray(), *o;
    char full[256];
    int i, has_list = 0;
    snprintf(full, sizeof full, "%s%s%s", path, *path ? "." : "", key);
    for (i = 0; i < s->n; i++)
        has_list |= !strcmp(s->notes[i].path, path) && !strcmp(s->notes[i].key, key) &&
                    (s->notes[i].what.kind == JSON_NUMBERS || s->notes[i].what.kind == JSON_INTEGERS);
    for (i = 0; i < s->n; i++)
        if (!strcmp(s->notes[i].path, path) && !strcmp(s->notes[i].key, key) && !(has_list && s->notes[i].what.kind == JSON_ARRAY))
            cJSON_AddItemToArray(any, schema_kind(s, &s->notes[i], full));
    if (cJSON_GetArraySize(any) == 1) {
        o = cJSON_DetachItemFromArray(any, 0);
        cJSON_Delete(any);
        return o;
    }
    o = cJSON_CreateObject();
    if (cJSON_GetArraySize(any))
        cJSON_AddItemToObject(o, "anyOf", any);
    else
        cJSON_Delete(any);
    return o;
}

static cJSON *schema_object(const schema *s, const char *path)
{
    cJSON *o = cJSON_CreateObject(), *properties = NULL;
    size_t r;
    int i;
    schema_type(o, "object");
    properties = cJSON_AddObjectToObject(o, "properties");
    for (i = 0; i < s->n; i++) {
        const char *p = s->notes[i].what.kind == JSON_KEYS && !strcmp(s->notes[i].path, path) ? s->notes[i].what.words : "";
        while (*p) {
            char key[64];
            size_t n = strcspn(p, " ");
            snprintf(key, sizeof key, "%.*s", (int)n, p);
            if (!cJSON_GetObjectItemCaseSensitive(properties, key))
                cJSON_AddItemToObject(properties, key, schema_member(s, path, key));
            p += n + (p[n] == ' ');
        }
    }
    cJSON_AddFalseToObject(o, "additionalProperties");
    for (r = 0; r < sizeof schema_required / sizeof *schema_required; r++)
        if (!strcmp(schema_required[r].path, path))
            cJSON_AddItemToObject(o, "required", schema_words(schema_required[r].keys));
    return o;
}

int schema_print(FILE *f)
{
    schema s;
    cJSON *root;
    char *text;
    size_t k;
    int i, ok = 1;
    memset(&s, 0, sizeof s);
    for (k = 0; k < sizeof schema_scenes / sizeof *schema_scenes && ok; k++)
        ok = scene_tell(schema_scenes[k], schema_tell, &s);
    if (ok) {
        root = schema_object(&s, "");
        cJSON_AddStringToObject(root, "$schema", "http://json-schema.org/draft-07/schema#");
        cJSON_AddStringToObject(root, "title", "a scene of contact run");
        text = cJSON_Print(root);
        fprintf(f, "%s\n", text);
        free(text);
        cJSON_Delete(root);
    }
    for (i = 0; i < s.n; i++)
        free(s.notes[i].path), free(s.notes[i].key);
    free(s.notes);
    return ok;
}

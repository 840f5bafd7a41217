/* scene_set.c -- contact run --set KEY=VALUE: one value of a scene is replaced before the scene is read, so that all checks are the
 * reader's. */
#include "scene.h"
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* the element of an array that "[2]" or "[name]" means; NULL after a message. `whole` is what was given, `until` how much of it has been
 * read */
static cJSON *set_element(cJSON *array, const char *index, size_t n, const char *whole, size_t until)
{
    char names[200] = "";
    char *end;
    long number = strtol(index, &end, 10);
    int is_number = n > 0 && end == index + n;
    cJSON *e;
    if (!cJSON_IsArray(array)) {
        cli_fail("--set %.*s: the scene has no array here for [%.*s]; give it as a whole, KEY=[...]", (int)until, whole, (int)n, index);
        return NULL;
    }
    if (is_number && number >= 0 && number < cJSON_GetArraySize(array))
        return cJSON_GetArrayItem(array, (int)number);
    cJSON_ArrayForEach(e, array)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(e, "name");
        if (!is_number && cJSON_IsString(name) && strlen(name->valuestring) == n && !memcmp(name->valuestring, index, n))
            return e;
        if (cJSON_IsString(name) && strlen(names) < 120)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.60s", *names ? ", " : "", name->valuestring);
    }
    if (is_number)
        cli_fail("--set %.*s: expected an index below %d, found %ld", (int)until, whole, cJSON_GetArraySize(array), number);
    else
        cli_fail("--set %.*s: expected an index below %d or one of the names %s", (int)until, whole, cJSON_GetArraySize(array),
                 *names ? names : "(none)");
    return NULL;
}

/* the text behind '=' as JSON, or as the text that it is */
static cJSON *set_value(const char *text)
{
    const char *end;
    cJSON *value = cJSON_ParseWithOpts(text, &end, 1);
    return value ? value : cJSON_CreateString(text);
}

/* puts the value in the place of a member or of an array's element */
static void set_replace(cJSON *object, cJSON *old, const char *name, cJSON *value)
{
    if (old && cJSON_IsArray(object))
        cJSON_ReplaceItemViaPointer(object, old, value);
    else if (old)
        cJSON_ReplaceItemInObjectCaseSensitive(object, name, value);
    else
        cJSON_AddItemToObject(object, name, value);
}

int scene_set(cJSON *root, const char *text)
{
    const char *equals = strchr(text, '='), *p = text;
    cJSON *at = root;
    if (!equals || equals == text)
        return cli_fail("--set %s: expected KEY=VALUE, such as friction=0.3 or bodies[0].material.young=2e5", text), 0;
    for (;;) {
        char name[64];
        size_t n = strcspn(p, ".[=");
        cJSON *parent = at, *item;
        int is_last;
        if (n == 0 || n >= sizeof name)
            return cli_fail("--set %s: expected a key at '%.*s'", text, (int)(equals - p), p), 0;
        memcpy(name, p, n);
        name[n] = '\0';
        p += n;
        if (cJSON_IsArray(at))
            return cli_fail("--set %.*s: is a list; an element of it is written %.*s[%s]", (int)(p - text - (long)n - 1), text,
                            (int)(p - text - (long)n - 1), text, name), 0;
        if (!cJSON_IsObject(at))
            return cli_fail("--set %.*s: is no object, which has \"%s\"", (int)(p - text - (long)n - 1), text, name), 0;
        item = cJSON_GetObjectItemCaseSensitive(at, name);
        while (*p == '[') {
            size_t k = strcspn(p, "]=");
            if (p[k] != ']')
                return cli_fail("--set %s: expected ']' behind '%.*s'", text, (int)k, p), 0;
            parent = item;
            item = set_element(item, p + 1, k - 1, text, (size_t)(p - text));
            p += k + 1;
            if (!item)
                return 0;
        }
        is_last = p == equals;
        if (is_last)
            set_replace(parent, item, name, set_value(equals + 1));
        if (is_last)
            return 1;
        if (*p++ != '.')
            return cli_fail("--set %s: expected '.', '[' or '=' behind '%.*s'", text, (int)(p - 1 - text), text), 0;
        if (!item)
            cJSON_AddItemToObject(at, name, item = cJSON_CreateObject());
        at = item;
    }
}

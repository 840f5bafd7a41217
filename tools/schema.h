/* schema.h -- the JSON Schema (draft 7) of scenes, made from the reader of scenes. */
#ifndef SCHEMA_H
#define SCHEMA_H

#include <stdio.h>

/* schema_print -- 1, or 0 after a message. */
int schema_print(FILE *f);

#endif /* SCHEMA_H */

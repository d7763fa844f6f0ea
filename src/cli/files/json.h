/* json.h - one JSON object, written piece by piece into memory: valid whatever the names and numbers are.
 *
 * Numbers have 17 digits and read back to the same bits; what is not finite is null. */
#ifndef KEEL_CLI_FILES_JSON_H
#define KEEL_CLI_FILES_JSON_H

#include <stddef.h>

struct json {
    char *text;
    size_t length, capacity;
    int failed; /* memory ran out */
    int comma;  /* something stands before the next value */
};

/* key NULL: an element of an array, or the outermost value. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end_object(struct json *j);
void json_end_array(struct json *j);
void json_text(struct json *j, const char *key, const char *value); /* value NULL: null */
void json_number(struct json *j, const char *key, double value);
void json_integer(struct json *j, const char *key, long value);
void json_truth(struct json *j, const char *key, int value);
void json_release(struct json *j);
#endif

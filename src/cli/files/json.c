/* json.c - see json.h. */
#include "cli/files/json.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct json *j, const char *text, size_t length) {
    if (j->length + length + 1 > j->capacity && !j->failed) {
        size_t capacity = 2 * (j->length + length + 512);
        char *wider = realloc(j->text, capacity);
        j->failed = !wider;
        if (wider) j->text = wider, j->capacity = capacity;
    }
    if (j->failed) return;
    memcpy(j->text + j->length, text, length);
    j->length += length;
    j->text[j->length] = '\0';
}

static void word(struct json *j, const char *text) {
    put(j, text, strlen(text));
}

/* Control signs, quotes and what is not UTF-8 never reach the output as they are. */
static void string(struct json *j, const char *text) {
    size_t length = strlen(text);
    word(j, "\"");
    for (size_t i = 0; i < length;) {
        char code[12];
        uint32_t point;
        int size = text_character(text + i, length - i, &point);
        if (size == 0) word(j, "\\ufffd");
        else if (text_is_control(point)) {
            snprintf(code, sizeof code, "\\u%04x", (unsigned)point);
            word(j, code);
        } else {
            if (point == '"' || point == '\\') word(j, "\\");
            put(j, text + i, (size_t)size);
        }
        i += size ? (size_t)size : 1;
    }
    word(j, "\"");
}

static void begin(struct json *j, const char *key) {
    if (j->comma) word(j, ",");
    j->comma = 1;
    if (!key) return;
    string(j, key);
    word(j, ":");
}

void json_object(struct json *j, const char *key) {
    begin(j, key);
    word(j, "{");
    j->comma = 0;
}

void json_array(struct json *j, const char *key) {
    begin(j, key);
    word(j, "[");
    j->comma = 0;
}

void json_end_object(struct json *j) {
    word(j, "}");
    j->comma = 1;
}

void json_end_array(struct json *j) {
    word(j, "]");
    j->comma = 1;
}

void json_text(struct json *j, const char *key, const char *value) {
    begin(j, key);
    if (value) string(j, value);
    else word(j, "null");
}

void json_number(struct json *j, const char *key, double value) {
    char text[40];
    begin(j, key);
    snprintf(text, sizeof text, "%.17g", value);
    word(j, isfinite(value) ? text : "null");
}

void json_integer(struct json *j, const char *key, long value) {
    char text[40];
    begin(j, key);
    snprintf(text, sizeof text, "%ld", value);
    word(j, text);
}

void json_truth(struct json *j, const char *key, int value) {
    begin(j, key);
    word(j, value ? "true" : "false");
}

void json_release(struct json *j) {
    free(j->text);
    *j = (struct json){0};
}

/* kind.c - see kind.h. */
#include "cli/files/kind.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROBE = 512 }; /* bytes at either end of a file that are looked at */

#define PNG_END "\0\0\0\0IEND\xae\x42\x60\x82"
#define PNG_MARK "\0\0\0\rtEXtSoftware\0keel"

struct piece {
    const char *bytes;
    size_t count;
};
#define PIECE(text) \
    { text, sizeof text - 1 }

static const struct {
    const char *name;
    struct piece first; /* it begins with these bytes */
    struct piece near;  /* they stand near its beginning */
    struct piece last;  /* they stand near its end; kind_mark puts them there */
} table[] = {
    [KIND_CSV] = {"a CSV file of keel", PIECE("# keel "), PIECE(""), PIECE("")},
    [KIND_HDF5] = {"an HDF5 file", PIECE("\x89HDF\r\n\x1a\n"), PIECE(""), PIECE("")},
    [KIND_REPORT] = {"a report of keel", PIECE("<!DOCTYPE html>"),
                     PIECE("<meta name=\"generator\" content=\"keel "), PIECE("")},
    [KIND_SVG] = {"a figure of keel", PIECE("<?xml "), PIECE(""), PIECE("<!-- keel -->\n")},
    [KIND_PNG] = {"a figure of keel", PIECE("\x89PNG\r\n\x1a\n"), PIECE(""), PIECE(PNG_MARK)},
    [KIND_PDF] = {"a figure of keel", PIECE("%PDF-"), PIECE(""), PIECE("% keel\n")},
    [KIND_C] = {"a C file of keel emit", PIECE("/* A model as C, written by keel "), PIECE(""), PIECE("")},
    [KIND_CHECKPOINT] = {"a checkpoint of keel", PIECE("keelchk"), PIECE(""), PIECE("")},
    [KIND_ROWS] = {"the rows of a checkpoint of keel", PIECE("keelrow"), PIECE(""), PIECE("")},
    [KIND_BLOCKS] = {"the blocks of a sweep of keel", PIECE("keelswp"), PIECE(""), PIECE("")},
    [KIND_MODEL] = {"a model", PIECE(""), PIECE(""), PIECE("")},
};

const char *kind_name(enum kind kind) {
    return table[kind].name;
}

static int holds(const char *bytes, size_t count, struct piece piece) {
    for (size_t i = 0; i + piece.count <= count; i++)
        if (memcmp(bytes + i, piece.bytes, piece.count) == 0) return 1;
    return 0;
}

/* The last bytes of a file, LOOK of them at most; how many, or -1. */
static ssize_t read_end(int handle, char *bytes) {
    struct stat about;
    if (fstat(handle, &about)) return -1;
    off_t from = about.st_size > PROBE ? about.st_size - PROBE : 0;
    return pread(handle, bytes, PROBE, from);
}

int kind_is(enum kind kind, int handle) {
    char begin[PROBE], end[PROBE];
    ssize_t count = pread(handle, begin, sizeof begin, 0), tail = read_end(handle, end);
    if (count < 0 || tail < 0 || kind == KIND_MODEL) return 0;
    if (count == 0) return 1;
    struct piece first = table[kind].first;
    return (size_t)count >= first.count && memcmp(begin, first.bytes, first.count) == 0 &&
           holds(begin, (size_t)count, table[kind].near) && holds(end, (size_t)tail, table[kind].last);
}

/* The check sum of PNG: CRC-32, bit by bit. */
static uint32_t png_sum(const char *bytes, size_t count) {
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        sum ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = sum & 1 ? 0xedb88320u ^ sum >> 1 : sum >> 1;
    }
    return ~sum;
}

static int put(int handle, const void *bytes, size_t count, off_t at) {
    ssize_t put = pwrite(handle, bytes, count, at);
    if (put == (ssize_t)count) return 0;
    if (put >= 0) errno = ENOSPC;
    return -1;
}

/* A chunk of text before the one that ends the figure. */
static int mark_png(int handle, off_t size) {
    char chunk[sizeof PNG_MARK - 1 + 4 + sizeof PNG_END - 1];
    size_t mark = sizeof PNG_MARK - 1;
    memcpy(chunk, PNG_MARK, mark);
    uint32_t sum = png_sum(chunk + 4, mark - 4);
    for (int k = 0; k < 4; k++) chunk[mark + (size_t)k] = (char)(sum >> (24 - 8 * k));
    memcpy(chunk + mark + 4, PNG_END, sizeof PNG_END - 1);
    return put(handle, chunk, sizeof chunk, size - (off_t)(sizeof PNG_END - 1));
}

int kind_mark(enum kind kind, int handle) {
    static const struct piece svg = PIECE("</svg>"), png = PIECE(PNG_END), pdf = PIECE("%%EOF");
    struct piece wanted = kind == KIND_SVG ? svg : kind == KIND_PNG ? png : pdf;
    char end[PROBE];
    struct stat about;
    ssize_t count = read_end(handle, end);
    if (count < 0 || fstat(handle, &about)) return -1;
    size_t skipped = kind == KIND_PNG && (size_t)count > png.count ? (size_t)count - png.count : 0;
    if (!holds(end + skipped, (size_t)count - skipped, wanted)) return errno = EIO, -1;
    if (kind == KIND_PNG) return mark_png(handle, about.st_size);
    return put(handle, table[kind].last.bytes, table[kind].last.count, about.st_size);
}

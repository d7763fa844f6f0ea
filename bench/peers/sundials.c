/* sundials.c - SUNDIALS as one peer; without it its rows are left out, and the table says so. */
#include "peers/sundials.h"

#include <stdlib.h>
#include <string.h>

#ifdef KEEL_SUNDIALS
#ifdef KEEL_SUNDIALS_PACKAGED
const char *const peer_sundials_note =
    "SUNDIALS is the distribution's binary, which is compiled without optimization: the comparison with it "
    "is not fair";
#else
const char *const peer_sundials_note = "";
#endif

struct opened {
    struct sundials_ida *ida;
    struct sundials_cvode *cvode;
};

static void *open_sundials(const struct bench_case *c, const struct peer_row *row, double setting) {
    struct opened *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    if (strncmp(row->method, "IDA", 3) == 0) o->ida = sundials_ida_open(c, setting);
    else o->cvode = sundials_cvode_open(c, strstr(row->method, "project") != NULL, setting);
    if (o->ida || o->cvode) return o;
    free(o);
    return NULL;
}

static int run_sundials(void *opened, struct peer_run *r) {
    struct opened *o = opened;
    return o->ida ? sundials_ida_run(o->ida, r) : sundials_cvode_run(o->cvode, r);
}

static void close_sundials(void *opened) {
    struct opened *o = opened;
    if (o->ida) sundials_ida_close(o->ida);
    if (o->cvode) sundials_cvode_close(o->cvode);
    free(o);
}
#else
const char *const peer_sundials_note = "SUNDIALS is not there: its rows are left out";

static void *open_sundials(const struct bench_case *c, const struct peer_row *row, double setting) {
    (void)c, (void)row, (void)setting;
    return NULL;
}

static int run_sundials(void *opened, struct peer_run *r) {
    (void)opened, (void)r;
    return -1;
}

static void close_sundials(void *opened) {
    (void)opened;
}
#endif

const struct peer peer_sundials = {"SUNDIALS", open_sundials, run_sundials, close_sundials};

/* sweep_file.c - see sweep_file.h. */
#include "cli/sweep/sweep_file.h"

#include "cli/terminal/stop.h"

#include <string.h>

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static int is_hdf5(const char *out) {
    return ends_with(out, ".h5") || ends_with(out, ".hdf5") || ends_with(out, ".nc");
}

int sweep_file_claim(struct sweep_file *f, struct sweep *s, const char *out) {
    struct job *j = &s->job;
    f->sweep = s;
    if (!out) return 0;
    if (!ends_with(out, ".csv") && !is_hdf5(out) && strncmp(out, "/dev/", 5) != 0)
        return job_fail(j, EXIT_USAGE, "--out %.200s: the name must end in .h5, .nc or .csv", out);
    f->claim = output_claim(j, out, is_hdf5(out) ? KIND_HDF5 : KIND_CSV);
    if (!f->claim) return j->status;
    if (is_hdf5(out) && f->claim->stream)
        return job_fail(j, EXIT_FAILED, "%.300s cannot be written: it is no regular file", out);
    return 0;
}

int sweep_file_open(struct sweep_file *f, int count, char **word) {
    if (!f->claim) return 0;
    if (!is_hdf5(f->claim->path)) return sweep_csv_open(&f->csv, f->sweep, f->claim);
    f->hdf5 = sweep_hdf5_open(f->sweep, f->claim, count, word);
    return f->hdf5 ? 0 : f->sweep->job.status;
}

int sweep_file_feed(struct sweep_file *f, const keel_block *b) {
    int status = 0;
    if (f->hdf5) status = sweep_hdf5_block(f->hdf5, b);
    else if (f->csv.file.stream) status = sweep_csv_block(&f->csv, b);
    if (status) return status;
    sweep_tally_block(&f->sweep->tally, b);
    if (sweep_summary_block(f->sweep, b)) return f->sweep->job.status;
    f->fed = b->index + 1;
    return 0;
}

int sweep_file_catch_up(struct sweep_file *f, struct shards *shards) {
    keel_block b;
    int found = 0, status = 0;
    while (status == 0 && !stop_asked() && (found = shards_read(shards, &f->sweep->job, f->fed, &b)) > 0)
        status = sweep_file_feed(f, &b);
    return found < 0 ? f->sweep->job.status : status;
}

int sweep_file_end(struct sweep_file *f) {
    if (!f->hdf5) return sweep_csv_end(&f->csv);
    struct sweep_hdf5 *h = f->hdf5;
    f->hdf5 = NULL;
    return sweep_hdf5_end(h);
}

void sweep_file_drop(struct sweep_file *f) {
    sweep_csv_drop(&f->csv);
    sweep_hdf5_drop(f->hdf5);
    claim_close(f->claim);
    *f = (struct sweep_file){0};
}

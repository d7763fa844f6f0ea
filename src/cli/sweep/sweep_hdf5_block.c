/* sweep_hdf5_block.c - a block into the datasets of a sweep: its members are one range of each variable. */
#include "cli/sweep/sweep_hdf5.h"

#ifdef KEEL_HDF5

#include "base/text.h"
#include "cli/sweep/sweep_hdf5_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* With one axis the numbers lie in memory as in the file, members by times, and HDF5 copies rows; else it
 * goes from number to number. */
static int put_members(struct sweep_hdf5 *h, hid_t set, hid_t type, const keel_block *b, int timed,
                       const void *numbers) {
    hsize_t times = timed && h->t >= 0 ? h->n.dimension[h->t].size : 1, count = (hsize_t)b->count;
    int alike = h->axes == 1 && timed && h->t >= 0;
    hsize_t size[] = {alike ? count : count * times, times};
    hid_t space = h->n.h5.Dget_space(set), memory = h->n.h5.Screate_simple(alike ? 2 : 1, size, NULL);
    int bad = netcdf_range(&h->n, space, h->axes, (hsize_t)b->first, (hsize_t)b->count) ||
              h->n.h5.Dwrite(set, type, memory, space, H5P_DEFAULT, numbers) < 0;
    h->n.h5.Sclose(memory);
    h->n.h5.Sclose(space);
    return bad;
}

static int put_columns(struct sweep_hdf5 *h, const keel_block *b) {
    size_t rows = (size_t)b->count * (size_t)b->times, columns = (size_t)h->columns;
    const double *extrema[] = {b->low, b->high, b->mean};
    for (size_t i = 0; i < columns; i++) {
        for (size_t k = 0; k < rows; k++) h->numbers[k] = b->value[k * columns + i];
        if (put_members(h, h->column[i], h->n.h5.T_NATIVE_DOUBLE, b, 1, h->numbers)) return -1;
        for (int f = 0; f < 3 && b->low; f++) {
            for (size_t k = 0; k < (size_t)b->count; k++) h->numbers[k] = extrema[f][k * columns + i];
            if (put_members(h, h->extremum[f][i], h->n.h5.T_NATIVE_DOUBLE, b, 0, h->numbers)) return -1;
        }
    }
    return 0;
}

static int put_values(struct sweep_hdf5 *h, const keel_block *b) {
    size_t names = (size_t)keel_plan_names(h->sweep->plan), count = (size_t)b->count;
    double *all = h->numbers + KEEL_BLOCK;
    for (size_t i = 0; i < names; i++) {
        if (h->value[i] < 0) continue;
        for (size_t k = 0; k < count; k++) {
            keel_plan_values(h->sweep->plan, b->first + (int64_t)k, all);
            h->numbers[k] = all[i];
        }
        if (put_members(h, h->value[i], h->n.h5.T_NATIVE_DOUBLE, b, 0, h->numbers)) return -1;
    }
    return 0;
}

/* A piece of a list along `event`, which grows by it. */
static int put_list(struct sweep_hdf5 *h, hid_t set, hid_t type, hsize_t count, const void *numbers) {
    hsize_t size = h->events + count;
    if (h->n.h5.Dset_extent(set, &size) < 0) return -1;
    hid_t space = h->n.h5.Dget_space(set), memory = h->n.h5.Screate_simple(1, &count, NULL);
    int bad = h->n.h5.Sselect_hyperslab(space, H5S_SELECT_SET, &h->events, NULL, &count, NULL) < 0 ||
              h->n.h5.Dwrite(set, type, memory, space, H5P_DEFAULT, numbers) < 0;
    h->n.h5.Sclose(memory);
    h->n.h5.Sclose(space);
    return bad;
}

/* Once the first event has come. */
static int add_events(struct sweep_hdf5 *h) {
    hid_t real = h->n.h5.T_IEEE_F64LE;
    h->event = netcdf_dimension(&h->n, "event", 0, NULL);
    if (h->event < 0) return -1;
    h->event_t = netcdf_variable(&h->n, "event.t", real, 1, &h->event);
    h->event_member = netcdf_variable(&h->n, "event.member", h->n.h5.T_STD_I64LE, 1, &h->event);
    int bad = h->event_t < 0 || h->event_member < 0;
    for (int i = 0; i < h->columns && !bad; i++) {
        char name[NETCDF_NAME];
        text_set(name, sizeof name, "event.%.200s", keel_ensemble_column(h->sweep->ensemble, i));
        h->event_column[i] = netcdf_variable(&h->n, name, real, 1, &h->event);
        bad = h->event_column[i] < 0;
    }
    return bad;
}

static int put_events(struct sweep_hdf5 *h, const keel_block *b) {
    size_t count = (size_t)b->event_first[b->count], columns = (size_t)h->columns;
    if (count == 0) return 0;
    if (h->event < 0 && add_events(h)) return -1;
    int64_t *member = malloc(count * sizeof *member);
    double *numbers = malloc(count * sizeof *numbers);
    int bad = !member || !numbers;
    for (int i = 0; i < b->count && !bad; i++)
        for (int64_t k = b->event_first[i]; k < b->event_first[i + 1]; k++) member[k] = b->first + i;
    bad = bad || put_list(h, h->event_member, h->n.h5.T_NATIVE_INT64, count, member) ||
          put_list(h, h->event_t, h->n.h5.T_NATIVE_DOUBLE, count, b->event_t);
    for (size_t i = 0; i < columns && !bad; i++) {
        for (size_t k = 0; k < count; k++) numbers[k] = b->event_value[k * columns + i];
        bad = put_list(h, h->event_column[i], h->n.h5.T_NATIVE_DOUBLE, count, numbers);
    }
    free(member);
    free(numbers);
    h->events += count;
    return bad;
}

/* Members without one have none: only blocks with a sentence are written, once the first has come. */
static int put_sentences(struct sweep_hdf5 *h, const keel_block *b) {
    int some = 0;
    for (int i = 0; i < b->count; i++) {
        h->texts[i] = b->sentence[i] < 0 ? "" : b->text + b->sentence[i];
        some |= b->sentence[i] >= 0;
    }
    if (!some) return 0;
    if (h->sentence < 0) h->sentence = sweep_hdf5_over(h, "sentence", h->n.text, 0);
    return h->sentence < 0 || put_members(h, h->sentence, h->n.text, b, 0, h->texts);
}

int sweep_hdf5_block(struct sweep_hdf5 *h, const keel_block *b) {
    hid_t real = h->n.h5.T_NATIVE_DOUBLE;
    errno = 0;
    int bad = put_columns(h, b) || put_values(h, b) ||
              put_members(h, h->status, h->n.h5.T_NATIVE_INT, b, 0, b->status) ||
              put_members(h, h->row, h->n.h5.T_NATIVE_INT, b, 0, b->row) ||
              put_members(h, h->steps, h->n.h5.T_NATIVE_INT64, b, 0, b->steps) ||
              put_members(h, h->drift, real, b, 0, b->drift) ||
              put_members(h, h->correction, real, b, 0, b->correction) ||
              put_members(h, h->defect, real, b, 0, b->defect) ||
              put_members(h, h->t_end, real, b, 0, b->t) || put_sentences(h, b) ||
              (h->retry > 0 && put_members(h, h->retry, h->n.h5.T_NATIVE_INT, b, 0, h->sweep->retries.of)) ||
              (b->event_first && put_events(h, b));
    return bad ? sweep_hdf5_failed(h) : 0;
}

#endif

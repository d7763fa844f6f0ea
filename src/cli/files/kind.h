/* kind.h - the kinds of files that keel writes, and how one of them is recognised.
 *
 * Only a file of its own kind is replaced without --force: text and figures carry a mark that keel writes
 * (kind_mark, or a first line), checkpoints a magic number of their own, HDF5 the format's.  An empty file is
 * of every kind. */
#ifndef KEEL_CLI_FILES_KIND_H
#define KEEL_CLI_FILES_KIND_H

enum kind {
    KIND_CSV,
    KIND_HDF5,
    KIND_REPORT,
    KIND_SVG,
    KIND_PNG,
    KIND_PDF,
    KIND_C,
    KIND_CHECKPOINT,
    KIND_ROWS,
    KIND_BLOCKS,
    KIND_MODEL /* what people write: never replaced */
};

/* "a CSV file of keel": for sentences. */
const char *kind_name(enum kind kind);
/* Is the open file of this kind?  1, or 0. */
int kind_is(enum kind kind, int handle);
/* Puts the mark of keel at the end of a complete figure; 0, or -1 with errno (EIO: it is not complete). */
int kind_mark(enum kind kind, int handle);
#endif

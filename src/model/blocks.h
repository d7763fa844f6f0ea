/* blocks.h - the order in which a square system can be solved block by block.
 *
 * R. E. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972) 146-160. */
#ifndef KEEL_MODEL_BLOCKS_H
#define KEEL_MODEL_BLOCKS_H

/* Row i has the columns column[start[i] .. start[i+1]) and determines match[i].  On exit row[first[b] ..
 * first[b+1]) are the rows of block b; each needs only columns of its own and of earlier blocks.  row: n
 * places, first: n + 1.  The number of blocks, or -1 without memory. */
int blocks_find(int n, const int *start, const int *column, const int *match, int *row, int *first);
#endif

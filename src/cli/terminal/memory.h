/* memory.h - has memory run out anywhere in the command?
 *
 * Who is refused memory, or hears of it from the library, notes it here; a command whose results may lack
 * something for it ends as a failure, whatever it could show. */
#ifndef KEEL_CLI_TERMINAL_MEMORY_H
#define KEEL_CLI_TERMINAL_MEMORY_H

#define MEMORY_OUT "there is not enough memory"

void memory_out(void);
int memory_is_out(void);
void memory_tell(void); /* on standard error, where no result can; once */
#endif

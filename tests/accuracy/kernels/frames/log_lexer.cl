/* SPDX-License-Identifier: Apache-2.0 */
/* A lexer for log lines, a line each: characters fall into classes, a table of states says what comes next. States
   below ACCEPTING end a token; the table is copied to local memory, where it is looked up once per character. */

#define STATES 32
#define CLASSES 16
#define ACCEPTING 6

__kernel void log_lexer(__global const uchar *text, __global const int *line_start, __global const int *class_of,
                        __global const int *transitions, __global ushort *tokens, __global ushort *longest, int lines)
{
    __local uchar next[STATES * CLASSES];
    __local uchar classes[256];

    for (int i = get_local_id(0); i < STATES * CLASSES; i += get_local_size(0))
        next[i] = (uchar)transitions[i];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0))
        classes[i] = (uchar)class_of[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    int line = get_global_id(0);
    if (line >= lines)
        return;

    int at = line_start[line];
    const int stop = line_start[line + 1];
    uint state = STATES - 1, found = 0, most = 0;
    int begin = at;

    while (at < stop) {
        state = next[state * CLASSES + classes[text[at++]]];
        if (state < ACCEPTING) {
            most = max(most, (uint)(at - begin));
            begin = at;
            found++;
            state = STATES - 1;
        }
    }
    tokens[line] = (ushort)found;
    longest[line] = (ushort)most;
}

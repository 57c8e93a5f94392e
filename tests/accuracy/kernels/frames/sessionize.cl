// SPDX-License-Identifier: Apache-2.0
// Clicks to sessions. A user's events are a run of [first[u], first[u + 1]); a pause longer than the timeout begins a new
// session, and so does a new campaign. Writes each event's session and the user's (sessions, longest, busiest).
#define BOUNCE 1

__kernel void sessionize(__global const int *first, __global const ushort *pause, __global const uchar *campaign,
                         __global ushort *session, __global int4 *summary, int users, int timeout)
{
    int u = get_global_id(0);
    if (u >= users)
        return;

    int sessions = 0, longest = 0, busiest = 0, bounces = 0;
    int duration = 0, events = 0;
    int source = -1;

    for (int e = first[u]; e < first[u + 1]; e++) {
        int gap = pause[e];
        int from = campaign[e] >> 5;
        if (events == 0 || gap > timeout || from > source + 3) {
            bounces += events == BOUNCE;
            sessions++;
            duration = 0;
            events = 0;
            source = from;
        } else {
            duration += gap;
        }
        events++;
        longest = max(longest, duration);
        busiest = max(busiest, events);
        session[e] = (ushort)sessions;
    }
    summary[u] = (int4)(sessions, longest, busiest, bounces + (events == BOUNCE));
}

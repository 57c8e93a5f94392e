// SPDX-License-Identifier: Apache-2.0
// A day of an epidemic among agents with known contacts: who is susceptible may catch it from each infectious
// contact, others wait for the end of their state. The day's new states are counted per work-group.

#define SUSCEPTIBLE 0
#define EXPOSED 1
#define INFECTIOUS 2
#define RECOVERED 3

struct agent {
    uchar state;
    uchar days; /* left in it */
    uchar age;
    uchar immunity;
};

inline uint next(uint *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

inline float uniform(uint *state)
{
    return (next(state) >> 8) * 0x1p-24f;
}

__kernel void seir_step(__global const struct agent *agents, __global struct agent *tomorrow, __global const int *start,
                        __global const int *contacts, __global const uchar *closeness, const float infectivity,
                        const uint seed, __global int *counts, const int count)
{
    __local int changes[4];
    const int id = get_global_id(0);
    if (get_local_id(0) < 4)
        changes[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (id < count) {
        struct agent me = agents[id];
        const int before = me.state & 3;
        int after = before;
        uint random = (id + 1) * 2654435761u ^ seed;

        switch (before) {
        case SUSCEPTIBLE: {
            const float guard = 1.0f - me.immunity / 255.0f;
            for (int k = start[id]; k < start[id + 1]; ++k) {
                const struct agent other = agents[contacts[k]];
                if ((other.state & 3) != INFECTIOUS)
                    continue;
                const float risk = infectivity * guard * (closeness[k] / 255.0f);
                if (uniform(&random) < risk) {
                    after = EXPOSED;
                    me.days = 2 + next(&random) % 4;
                    break;
                }
            }
            break;
        }
        case EXPOSED:
            if (me.days == 0) {
                after = INFECTIOUS;
                me.days = 4 + next(&random) % 6 + (me.age > 160 ? 3 : 0);
            } else {
                --me.days;
            }
            break;
        case INFECTIOUS:
            if (me.days == 0) {
                after = RECOVERED;
                me.immunity = 255;
            } else {
                --me.days;
            }
            break;
        default:
            me.immunity -= me.immunity > 0 && uniform(&random) < 0.1f;
        }
        me.state = after;
        tomorrow[id] = me;
        if (after != before)
            atomic_inc(&changes[after]);
    }

    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 4 && changes[get_local_id(0)] != 0)
        atomic_add(&counts[get_local_id(0)], changes[get_local_id(0)]);
}

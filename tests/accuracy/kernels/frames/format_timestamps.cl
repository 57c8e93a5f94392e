// SPDX-License-Identifier: Apache-2.0
// Seconds since 1970 as text, 20 characters each: 2024-02-29T12:34:56Z. The calendar is Howard Hinnant's civil_from_days.

constant int WIDTH = 20;

void two_digits(global uchar *at, uint value)
{
    at[0] = '0' + value / 10;
    at[1] = '0' + value % 10;
}

kernel void format_timestamps(global const uint *seconds, global uchar *text, const uint n)
{
    const uint row = get_global_id(0);
    if (row < n) {
        const uint stamp = seconds[row];
        const uint clock = stamp % 86400;
        const uint z = stamp / 86400 + 719468;

        const uint era = z / 146097;
        const uint doe = z - era * 146097;
        const uint yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
        const uint doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        const uint mp = (5 * doy + 2) / 153;
        const uint day = doy - (153 * mp + 2) / 5 + 1;
        const uint month = mp < 10 ? mp + 3 : mp - 9;
        const uint year = yoe + era * 400 + (month <= 2);

        global uchar *out = text + row * WIDTH;
        two_digits(out, year / 100);
        two_digits(out + 2, year % 100);
        out[4] = '-';
        two_digits(out + 5, month);
        out[7] = '-';
        two_digits(out + 8, day);
        out[10] = 'T';
        two_digits(out + 11, clock / 3600);
        out[13] = ':';
        two_digits(out + 14, clock / 60 % 60);
        out[16] = ':';
        two_digits(out + 17, clock % 60);
        out[19] = 'Z';
    }
}

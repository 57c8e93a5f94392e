/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions, calls and assignments in every shape: the values, by the rounds that they make. */
// launch: global=64 local=64 args=buffer:4K:w,int:2,int:0
// expect: kernel values
// expect: trips 422 1
// expect: trips 424 4
// expect: trips 426 6
// expect: trips 428 3
// expect: trips 430 6
// expect: trips 432 3
// expect: trips 434 5
// expect: trips 436 5
// expect: trips 438 4
// expect: trips 440 6
// expect: trips 442 10
// expect: trips 444 18
// expect: trips 446 6
// expect: trips 448 4
// expect: trips 450 19
// expect: trips 452 263
// expect: trips 454 12
// expect: trips 456 5
// expect: trips 458 6
// expect: trips 460 5
// expect: trips 462 4
// expect: trips 464 12
// expect: trips 466 2
// expect: trips 468 2
// launch: global=64 local=64 args=buffer:4K:w,int:2,int:3
// expect: trips 422 4
// expect: trips 424 7
// expect: trips 426 6
// expect: trips 428 3
// expect: trips 430 4
// expect: trips 432 3
// expect: trips 434 5
// expect: trips 436 10
// expect: trips 438 7
// expect: trips 440 9
// expect: trips 442 6
// expect: trips 444 18
// expect: trips 446 11
// expect: trips 448 4
// expect: trips 450 19
// expect: trips 452 263
// expect: trips 454 12
// expect: trips 456 3
// expect: trips 458 6
// expect: trips 460 5
// expect: trips 462 4
// expect: trips 464 12
// expect: trips 466 2
// expect: trips 468 2
// launch: global=64 local=64 args=buffer:4K:w,int:5,int:0
// expect: trips 422 6
// expect: trips 424 8
// expect: trips 426 9
// expect: trips 428 6
// expect: trips 430 1
// expect: trips 432 6
// expect: trips 434 10
// expect: trips 436 6
// expect: trips 438 7
// expect: trips 440 9
// expect: trips 442 10
// expect: trips 444 15
// expect: trips 446 2
// expect: trips 448 3
// expect: trips 450 25
// expect: trips 452 9
// expect: trips 454 12
// expect: trips 456 9
// expect: trips 458 5
// expect: trips 460 8
// expect: trips 462 7
// expect: trips 464 15
// expect: trips 466 6
// expect: trips 468 5
// launch: global=64 local=64 args=buffer:4K:w,int:5,int:1
// expect: trips 422 5
// expect: trips 424 2
// expect: trips 426 2
// expect: trips 428 6
// expect: trips 430 1
// expect: trips 432 6
// expect: trips 434 10
// expect: trips 436 7
// expect: trips 438 8
// expect: trips 440 10
// expect: trips 442 12
// expect: trips 444 15
// expect: trips 446 12
// expect: trips 448 3
// expect: trips 450 25
// expect: trips 452 9
// expect: trips 454 12
// expect: trips 456 9
// expect: trips 458 5
// expect: trips 460 8
// expect: trips 462 7
// expect: trips 464 3
// expect: trips 466 6
// expect: trips 468 5
int guards(int n, int u)
{
	if (n < 3)
		return u + 1;
	if (u)
		return 5;
	n++;
	return n;
}

int deep(int n, int u)
{
	if (n > 3) {
		if (u) {
			return 2;
		} else {
			n += 3;
		}
	} else if (u) {
		n = 7;
	} else
		return 4;
	return n;
}

int middle(int n, int u)
{
	int r = 0;
	if (n > 3) {
		r = 2;
		if (u)
			return r;
		r = 3;
	}
	r += 4;
	if (u) {
		r++;
	} else {
		r += 2;
		return r;
	}
	return r + 1;
}

int from_loop(int n, int u)
{
	for (int k = 0; k < 9; k++) {
		if (k == n)
			return k + 1;
		if (k == 4) {
			if (u)
				return 6;
		}
	}
	return 8;
}

int once(int n, int u)
{
	int r = 1;
	do {
		if (n > 3)
			break;
		r = 4;
		if (u)
			continue;
		r = 6;
	} while (0);
	return r;
}

int always_left(int n, int u)
{
	int r = 1;
	do {
		r += n;
		break;
	} while (u);
	return r;
}

int shorted(int n, int u)
{
	int r = 0;
	if (n > 3 && (r = 5))
		r++;
	if (u || (r += 2))
		r++;
	r += (n > 3 || r++) + (u && r++);
	return r;
}

int chosen(int n, int u)
{
	int r = 2;
	n > 3 ? (r = 4) : (r += u);
	r = u ? r++, r + 1 : r;
	r += n > 3 ? u ? 1 : 2 : 3;
	return r;
}

int said(int n, int u)
{
	int r = ({
		int t = n;
		t += 2;
		t;
	});
	({ r += u; });
	return r;
}

int commas(int n, int u)
{
	int r = (n++, u++, n + u);
	for (int k = 0, j = 4; k < j; k++, j--)
		r++;
	return r;
}

void set(int *p, int v)
{
	*p = v;
}

int pointed(int n, int u)
{
	int r = 0, *p = &r;
	if (u)
		set(p, n);
	else
		set(&r, 4);
	(*p)++;
	return *p + r;
}

void swap(int *p, int *q)
{
	int t = *p;
	*p = *q;
	*q = t;
}

int swapped(int n, int u)
{
	int a = 3, b = 8;
	if (n > 3)
		swap(&a, &b);
	swap(&b, &n);
	return a + n - b + 9;
}

struct pair {
	int x, y;
};

struct pair made(int n, int u)
{
	struct pair p = {n, u};
	if (u)
		p.y = 6;
	return p;
}

int structs(int n, int u)
{
	struct pair p = made(n, u), q = p;
	q.x++;
	if (n > 3)
		q = made(1, 0);
	p = u ? p : q;
	return p.x + p.y + q.x;
}

int unread(int n, int u)
{
	int r;
	if (n > 3)
		r = 3;
	else
		r = 4;
	int t = u;
	t = t;
	return r;
}

int wide(int n, int u)
{
	long r = n;
	r <<= 33;
	r |= u;
	r >>= 32;
	uint t = n;
	t -= 9;
	t >>= 28;
	return (int)(r + t);
}

int chars(int n, int u)
{
	char s = 120;
	s += n * 2;
	uchar t = 250;
	t += n + 3;
	short w = s * t;
	return (s < 0 ? 3 : 4) + t + (w & 7);
}

int compounds(int n, int u)
{
	int r = n;
	r *= 3;
	r -= 1;
	r /= 2;
	r %= 5;
	r <<= 2;
	r |= 1;
	r ^= 3;
	r &= 14;
	r += 2.5f;
	return r;
}

int marks(int n, int u)
{
	return -n + +n * 2 + ~u + !n + !!u + (n == 5) + (n != 5) + (n >= 5) + 3;
}

int ended(int n, int u)
{
	int r = 3;
	if (n > 3) {
		r = 5;
		goto end;
	} else {
		r = 6;
		goto end;
	}
	r = 9;
end:
	return r;
}

int never(int n, int u)
{
	int r = n;
	if (0)
		r = 9;
	while (0)
		r = 8;
	for (; 0;)
		r = 7;
	if (1)
		r += 2;
	else
		r = 6;
	switch (3) {
	case 1:
		r = 5;
		break;
	case 3:
		r++;
	}
	return r;
}

int forever(int n, int u)
{
	int r = 0;
	for (;;) {
		if (++r > n)
			break;
	}
	while (1) {
		r++;
		break;
	}
	return r;
}

int twice_left(int n, int u)
{
	int r = 0;
	for (int k = 0; k < 8; k++) {
		if (k == 3 && u)
			break;
		if (k == n) {
			r += 10;
			break;
		}
		r++;
	}
	return r;
}

int last_value(int n, int u)
{
	int k;
	for (k = 0; k < n; k += 2)
		;
	return k;
}

int last_break(int n, int u)
{
	int k;
	for (k = 0; k < 9; k++)
		if (k == n)
			break;
	return k;
}

kernel void values(global int *out, int n, int u)
{
	size_t i = get_global_id(0);
	int r;

	r = guards(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = deep(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = middle(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = from_loop(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = once(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = always_left(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = shorted(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = chosen(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = said(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = commas(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = pointed(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = swapped(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = structs(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = unread(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = wide(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = chars(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = compounds(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = marks(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = ended(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = never(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = forever(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = twice_left(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = last_value(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = last_break(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
}

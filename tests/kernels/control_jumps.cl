/* SPDX-License-Identifier: Apache-2.0 */
/* goto and switch in every shape: what they leave in a variable, by the rounds that it makes. */
// launch: global=64 local=64 args=buffer:4K:w,int:2,int:0
// expect: kernel jumps
// expect: trips 340 8
// expect: trips 342 7
// expect: trips 344 2
// expect: trips 346 1
// expect: trips 348 7
// expect: trips 350 4
// expect: trips 352 13
// expect: trips 354 3
// expect: trips 356 1
// expect: trips 358 6
// expect: trips 360 15
// expect: trips 362 6
// expect: trips 364 4
// expect: trips 366 1
// expect: trips 368 3
// expect: trips 370 9
// launch: global=64 local=64 args=buffer:4K:w,int:2,int:3
// expect: trips 340 6
// expect: trips 342 1
// expect: trips 344 2
// expect: trips 346 4
// expect: trips 348 7
// expect: trips 350 7
// expect: trips 352 9
// expect: trips 354 3
// expect: trips 356 1
// expect: trips 358 6
// expect: trips 360 1
// expect: trips 362 6
// expect: trips 364 5
// expect: trips 366 4
// expect: trips 368 3
// expect: trips 370 9
// launch: global=64 local=64 args=buffer:4K:w,int:5,int:0
// expect: trips 340 2
// expect: trips 342 4
// expect: trips 344 9
// expect: trips 346 3
// expect: trips 348 9
// expect: trips 350 2
// expect: trips 352 8
// expect: trips 354 2
// expect: trips 356 3
// expect: trips 358 3
// expect: trips 360 12
// expect: trips 362 4
// expect: trips 364 5
// expect: trips 366 6
// expect: trips 368 6
// expect: trips 370 6
// launch: global=64 local=64 args=buffer:4K:w,int:5,int:1
// expect: trips 340 2
// expect: trips 342 4
// expect: trips 344 9
// expect: trips 346 4
// expect: trips 348 9
// expect: trips 350 3
// expect: trips 352 4
// expect: trips 354 2
// expect: trips 356 3
// expect: trips 358 3
// expect: trips 360 12
// expect: trips 362 4
// expect: trips 364 0
// expect: trips 366 6
// expect: trips 368 4
// expect: trips 370 22
int skip_over(int n, int u)
{
	int r = 1;
	if (n > 3)
		goto out;
	r = 5;
	if (u)
		goto out;
	r += 2;
out:
	return r + 1;
}

int crossing(int n, int u)
{
	int r = 0;
	if (n > 3)
		goto one;
	r = 1;
	if (u)
		goto two;
	r += 2;
one:
	r += 4;
two:
	return r;
}

int nested_out(int n, int u)
{
	int r = 0;
	for (int k = 0; k < 4; k++) {
		for (int j = 0; j < 4; j++) {
			if (k == n && j == u)
				goto found;
		}
		r = k + 1;
	}
	r = 9;
found:
	return r;
}

int back(int n, int u)
{
	int r = 0;
again:
	r++;
	n -= 2;
	if (n > 0)
		goto again;
	return r + u;
}

int back_twice(int n, int u)
{
	int r = 0;
again:
	r += 2;
	if (r == 4) {
		r++;
		goto again;
	}
	if (r < n + 4)
		goto again;
	return r;
}

int labels(int n, int u)
{
	int r = 2;
	if (n > 3)
		goto one;
	r = 4;
one:
two:
	r += u;
	if (u == 7)
		goto two;
	return r;
}

int in_block(int n, int u)
{
	int r = 1;
	{
		if (n > 3)
			goto end;
		r = 6;
	end:
		r += 2;
	}
	if (u) {
		r++;
		goto last;
	}
	r += 5;
last:;
	return r;
}

int default_first(int n, int u)
{
	int r = 0;
	switch (n) {
	default:
		r = 7;
		break;
	case 2:
		r = 1;
	case 5:
		r += 2;
	}
	return r;
}

int default_middle(int n, int u)
{
	int r = 0;
	switch (n) {
	case 5:
		r = 3;
		break;
	default:
		r = 7;
	case 2:
		r += 1;
	}
	return r;
}

int no_default(int n, int u)
{
	int r = 4;
	switch (n) {
	case 5:
		r = 3;
		break;
	case 2:
	case 3:
		r = 6;
	}
	switch (u) {
	}
	return r;
}

int through(int n, int u)
{
	int r = 0;
	switch (n) {
	case 2:
		r += 1;
	case 3:
		if (u)
			break;
		r += 2;
	case 5:
		r += 4;
	default:
		r += 8;
	}
	return r;
}

int in_loop(int n, int u)
{
	int r = 0;
	for (int k = 0; k < 6; k++)
		switch (k) {
		case 1:
			continue;
		case 2:
			r += 2;
			break;
		case 4:
			if (n > 3)
				return r;
		default:
			r++;
		}
	return r;
}

int nested_switch(int n, int u)
{
	int r = 0;
	switch (n) {
	case 2:
		switch (u) {
		case 0:
			r = 1;
			break;
		default:
			r = 2;
		}
		r += 3;
		break;
	case 5: {
		switch (u)
		case 0:
			r = 5;
	}
	}
	return r;
}

int declared(int n, int u)
{
	int r = 0;
	switch (n) {
		int t;
	case 2:
		t = u + 1;
		r = t;
		break;
	case 5:
		t = 3;
		r = t * 2;
	}
	return r;
}

int returns(int n, int u)
{
	switch (n) {
	case 2:
		return 3;
	case 5:
		if (u)
			return 4;
		break;
	default:
		return 8;
	}
	return 6;
}

int narrow(int n, int u)
{
	int r = 0;
	switch ((char)(n + 254)) {
	case 0:
		r = 1;
		break;
	case 3:
		r = 2;
	}
	switch (-n) {
	case -5:
		r += 4;
		break;
	case -2:
		r += 8;
	}
	switch (n > 3 && u) {
	case 1:
		r += 16;
	}
	return r;
}

kernel void jumps(global int *out, int n, int u)
{
	size_t i = get_global_id(0);
	int r;

	r = skip_over(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = crossing(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = nested_out(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = back(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = back_twice(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = labels(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = in_block(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = default_first(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = default_middle(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = no_default(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = through(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = in_loop(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = nested_switch(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = declared(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = returns(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
	r = narrow(n, u);
	for (int k = 0; k < r; k++) out[i] = k;
}

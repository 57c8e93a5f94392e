# SPDX-License-Identifier: Apache-2.0
# Guessed cases run without a crash: swept.sh [all]. Without: of kernels that walk by what memory holds,
# or that no launch ends well; each stands for a kind.
. "$SOURCE_ROOT/tests/integration/common.sh"
export FENCE
start_calibrated

files=("$kernels"/{drawn_trips,own_trips,pointer_loops,pointer_walk,rare_branches,gather,histogram_global}.cl)
[ "${1:-}" != all ] || files=("$kernels"/*.cl "$kernels"/demo/*.cl "$SOURCE_ROOT"/tests/inputs/*.cl)
cat >"$scratch/faulty.cl" <<'K'
kernel void divergent(global float *a, local float *t)
{ size_t l = get_local_id(0);
  if (l % 2) { t[l] = 1; barrier(CLK_LOCAL_MEM_FENCE); }
  a[get_global_id(0)] = t[l]; }
kernel void endless(global int *a, int n) { for (int k = 0; k != n * 4 + 1; k += 4) a[get_global_id(0)] += k; }
kernel void huge(global float *a) { a[get_global_id(0) * 65536] = 1; }
kernel void overrun(global float *a, int size_x)
{ local float t[64]; float s = 0; t[get_local_id(0)] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < size_x; k++) s += t[k];
  a[get_global_id(0)] = s; }
kernel void alike(global float *a, local float *t, int n)
{ size_t l = get_local_id(0);
  t[l] = a[get_global_id(0)];
  if (get_group_id(0) % 2) barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < n; k++) if (get_global_id(0) < 1 << 20) barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[l]; }
kernel void scattered(global float *a, global const float *r)
{ a[(int)(r[get_global_id(0)] * 1e9f)] = 1; }
kernel void led(global float *a, global const int *d)
{ global const int *p = d + get_global_id(0);
  while (*p != 77) p++;
  a[get_global_id(0)] = *p; }
kernel void ranked(global float *a, int rank)
{ float t[3] = {0};
  for (int k = 0; k < rank; k++)
    t[k] += a[get_global_id(0)];
  a[get_global_id(0)] = t[0] + t[2]; }
kernel void stacked(global float4 *a)
{ float4 t[512];
  for (int k = 0; k < 512; k++) t[k] = a[get_global_id(0)] * k;
  a[get_global_id(0)] = t[(int)clamp(a[get_global_id(0)].x * 512, 0.0f, 511.0f)]; }
kernel void patient(global float *a)
{ float s = a[get_global_id(0)];
  for (int k = 0; k < 20000; k++) s = sin(s) + 1;
  a[get_global_id(0)] = s; }
K
for file in "${files[@]}" "$scratch/faulty.cl"; do
	printf 'kernels\t%s\t%s\t\n' "$file" "${file##*/}"
done >"$scratch/list"
"$PYTHON" "$SOURCE_ROOT/tests/language/sweep" "$PREDICTCTL" 20 "$scratch/record" <"$scratch/list" >"$scratch/table"
status=$?
sed 's/^/# /' "$scratch/table" "$scratch/record"

[ $status -eq 0 ] && ok "no guessed case crashes the driver" || not_ok "no guessed case crashes the driver"
ran=$(awk '$1 == "all" { print $4 }' "$scratch/table")
[ "${ran:-0}" -ge 20 ] && ok "and they ran" || not_ok "and they ran: want at least 20, have ${ran:-none}"
# left_out KERNEL REASON: it is no case, and the user is told why
left_out() {
	if grep -qP "^left out\tkernels\t[^\t]*\t$1\t.*$2" "$scratch/record"; then
		ok "$1 is left out: $2"
	else
		not_ok "$1 is left out: $2"
	fi
}
left_out divergent 'line 3: some work-items of a group do not meet the barrier'
left_out endless 'line 5: the loop has no end for this launch'
left_out huge 'line 6 reaches'
left_out overrun 'array t: line 9 reaches byte [0-9]* of its 256'
left_out scattered 'a: where line 18 accesses it hangs on data that nothing bounds'
left_out led 'd: where line 21 accesses it hangs on data that nothing bounds'
left_out ranked 'array t: line 26 reaches byte [0-9]* of its 12'
left_out walks 'line 42: the loop has no end for this launch'
if grep -qP '\talike\t' "$scratch/record"; then not_ok "a barrier that whole groups meet is none of it"; else
	ok "a barrier that whole groups meet is none of it"
fi
# said SENTENCE KERNEL WANT: of what is guessed of one that runs
said() {
	local what
	what=$(ctl cases "$scratch/faulty.cl:$2" 2>&1 >"$scratch/cases.json")
	if grep -q "guessed: $2: $3" <<<"$what"; then ok "$1"; else not_ok "$1: want $3, have $what"; fi
}
said "a kernel that takes long gets fewer work-items" patient '[0-9]* work-items, as with more it takes'
said "private arrays of a group fit a thread's stack" stacked '.*, local 64;\|.*, local 64 '
finish

/* patch_entry.c -- where thunks would lead to: code is changed on x86-64 only, so there are none.
 *
 * What is to be written for this CPU: patch_entry.S and macros_entry.S as for x86-64, the decoder
 * (decode.c), jumps (patch.c, entry.c), and the hidden registers (vectors.c). Until then
 * patch_begin() refuses, and what needs it says so: --client-requests, --own-malloc,
 * --alloc-symbol, and the C library's own mappings with --pages-as-heap.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

void patch_entry_common(void);
void patch_entry_returned(void);

void patch_entry_common(void)
{
	__builtin_trap();
}

void patch_entry_returned(void)
{
	__builtin_trap();
}

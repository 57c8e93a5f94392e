/* SPDX-License-Identifier: Apache-2.0 */
/* Headers within the program: libclang's base header of OpenCL C, and ours around it. */
	.section .rodata
	.global base_header
	.type base_header, %object
	.balign 16
base_header:
	.incbin BASE_HEADER_PATH
base_header_end:
	.byte 0
	.size base_header, . - base_header
	.global base_header_bytes
	.type base_header_bytes, %object
	.balign 8
base_header_bytes:
	.quad base_header_end - base_header
	.size base_header_bytes, 8
	.global prelude
	.type prelude, %object
prelude:
	.incbin PRELUDE_PATH
prelude_end:
	.byte 0
	.size prelude, . - prelude
	.global prelude_bytes
	.type prelude_bytes, %object
	.balign 8
prelude_bytes:
	.quad prelude_end - prelude
	.size prelude_bytes, 8
	.global vendor
	.type vendor, %object
vendor:
	.incbin VENDOR_PATH
vendor_end:
	.byte 0
	.size vendor, . - vendor
	.global vendor_bytes
	.type vendor_bytes, %object
	.balign 8
vendor_bytes:
	.quad vendor_end - vendor
	.size vendor_bytes, 8
	.section .note.GNU-stack,"",%progbits

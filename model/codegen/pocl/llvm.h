/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of the compiler that PoCL builds kernels with: LLVM on x86-64, as of PoCL 3.1 with LLVM
 * 15 (Debian 12) and PoCL 5.0 with LLVM 17 (Ubuntu 24.04). Each names LLVM's option, function or
 * class.
 */
#ifndef PREDICTD_MODEL_CODEGEN_POCL_LLVM_H
#define PREDICTD_MODEL_CODEGEN_POCL_LLVM_H

enum {
	/* prefer-vector-width of x86-64 targets with AVX (X86Subtarget) */
	LLVM_VECTOR_BYTES = 32,
	/* -max-interleave-group-factor (LoopVectorize): neighbours that are loaded whole for
	 * vectors of every one of them */
	LLVM_INTERLEAVED_MAX = 8,
	/* the least that is gathered and scattered (X86TTIImpl::isLegalMaskedGather) */
	LLVM_GATHERED_BYTES = 4,
	/* of a loop over a row of work-items, in instructions: a work-item's id, and the next
	 * one's; and once, where the loop is unrolled, whether there is a next one */
	LLVM_LOOP_SIZE = 2,
	LLVM_ONCE_SIZE = 2,
	/* an id that is an int becomes one of 64 bits by two shifts */
	LLVM_SIGNED_SIZE = 2,
	/* of a minimum or maximum: a comparison and a choice, and what is no number (TTI's
	 * getMinMaxReductionCost and getCmpSelInstrCost) */
	LLVM_EXTREME_COST = 3
};

/* -unroll-threshold at -O3 (LoopUnrollPass), in instructions */
#define LLVM_UNROLL_SIZE 300.0

#endif

# cpus.sh -- the kinds of CPU that programs are to be profiled on. Source it.
#
# libc chooses the versions of its functions by what the CPU has. The tunable glibc.cpu.hwcaps takes
# features away from a CPU that has them, for libc alone: cpu_tunables LEVEL prints what
# GLIBC_TUNABLES is to be. Names of glibc 2.33 and later, and with _Usable before; what is not known
# is ignored, and so nothing is believed: `registers versions` says what was chosen.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

# Best first.
CPU_LEVELS='avx512 avx2 sse4 sse2'
# For the emulator: without AVX, with AVX2, server CPUs of two makers.
CPU_MODELS='qemu64 Nehalem Haswell Skylake-Server EPYC'
: "$CPU_LEVELS" "$CPU_MODELS"

cpu_tunables() {
	cpu_without=
	case $1 in
	avx512) return ;;
	avx2) cpu_without='AVX512F AVX512VL AVX512BW' ;;
	sse4) cpu_without='AVX512F AVX512VL AVX512BW AVX2 AVX XSAVEC' ;;
	sse2) cpu_without='AVX512F AVX512VL AVX512BW AVX2 AVX XSAVEC SSE4_2 SSE4_1 SSSE3 BMI2' ;;
	esac
	cpu_list=
	for cpu_name in $cpu_without; do
		cpu_list="$cpu_list,-$cpu_name,-${cpu_name}_Usable"
	done
	case $1 in
	avx2) ;;
	sse2) cpu_list="$cpu_list,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-Fast_Unaligned_Copy" ;;
	*) cpu_list="$cpu_list,-AVX_Fast_Unaligned_Load" ;;
	esac
	echo "glibc.cpu.hwcaps=${cpu_list#,}"
}

# The level that the CPU itself has.
cpu_level() {
	case " $(sed -n '/^flags/{p;q;}' /proc/cpuinfo) " in
	*' avx512bw '*) echo avx512 ;;
	*' avx2 '*) echo avx2 ;;
	*' sse4_2 '*) echo sse4 ;;
	*) echo sse2 ;;
	esac
}

# Those levels that differ here, the CPU's own first.
cpu_levels() {
	cpu_own=$(cpu_level)
	echo "$cpu_own ${CPU_LEVELS#*"$cpu_own"}"
}

/* runtime_rule.c -- functions of run-times are told from those of programs, by name, source and
 * object.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/runtime_rule.h"

#include "tests/lib/tap.h"

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"
#define STL "/usr/include/c++/12/bits/"
#define PYTHON "/usr/bin/python3.11"

static const struct {
	const char *name, *file, *object;
	enum runtime_kind want;
} cases[] = {
	/* the program's */
	{ "main", "a.c", "/bin/a", RUNTIME_NOT },
	{ "", "", "/bin/a", RUNTIME_NOT },
	{ "standard::f(std::string)", "src/a.cc", "/bin/a", RUNTIME_NOT },
	{ "std_list_append", "", "", RUNTIME_NOT },
	{ "std::vector<int> make()", "a.cc", "", RUNTIME_NOT },
	{ "main::{lambda()#1}::operator()() const", "a.cc", "/bin/a", RUNTIME_NOT },
	{ "clone_session", "a.c", "/bin/a", RUNTIME_NOT },
	{ "runtime_init", "a.c", "/bin/a", RUNTIME_NOT },
	{ "core::Engine::start(int)", "src/engine.cc", "/bin/a", RUNTIME_NOT },
	{ "core::Engine::start(int)", "", "/bin/a", RUNTIME_NOT },
	{ "alloc::pool(int)", "", "/bin/a", RUNTIME_NOT },
	{ "app::core::run", "src/main.rs", "/bin/a", RUNTIME_NOT },
	{ "list_resize", "src/list.c", "/bin/a", RUNTIME_NOT },
	{ "main", "", "", RUNTIME_NOT },
	{ "[libc.so.6]", "", LIBC, RUNTIME_NOT },
	{ "push", "list.h", "", RUNTIME_NOT },
	{ "allocate", "src/new_allocator.h", "/bin/a", RUNTIME_NOT },
	{ "py::Audit.note:app.py", "", "", RUNTIME_NOT },
	{ "JS:~handle server.js:3", "", "", RUNTIME_NOT },
	{ "py::Audit.note", "/srv/app.py", "", RUNTIME_NOT },
	{ "py::ABCMeta.__new__", "<frozen abc>", "", RUNTIME_NOT },
	{ "py::_find_and_load", "<frozen importlib._bootstrap>", "", RUNTIME_LIBRARY },
	{ "find", "<frozen importlib._bootstrap>", "", RUNTIME_NOT },
	{ "JS:~handle", "/srv/server.js", "", RUNTIME_NOT },
	{ "JS:~wrapSafe", "node:internal/modules/cjs/loader", "", RUNTIME_LIBRARY },
	{ "inflate", "", "/lib/libz.so.1", RUNTIME_NOT },
	{ "node::Make", "tree.cc", "/opt/graph", RUNTIME_NOT },
	/* C and C++ */
	{ "void std::vector<int>::push_back(int&&)", "", "", RUNTIME_LIBRARY },
	{ "std::thread::_State_impl<x>::_M_run()", STL "std_thread.h", "/bin/a", RUNTIME_LIBRARY },
	{ "__invoke_impl<void, f>", STL "invoke.h", "/bin/a", RUNTIME_LIBRARY },
	{ "void std::__invoke_impl<void, void (*)()>(f)", "", "/bin/a", RUNTIME_LIBRARY },
	{ "__gnu_cxx::new_allocator<int>::allocate(unsigned long)", "", "", RUNTIME_LIBRARY },
	{ "operator new(unsigned long)", "", "", RUNTIME_LIBRARY },
	{ "operator delete[](void*)", "", "", RUNTIME_LIBRARY },
	{ "_Znwm", "", "/usr/lib/libstdc++.so.6", RUNTIME_LIBRARY },
	{ "", "", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", RUNTIME_LIBRARY },
	{ "std::__1::basic_string<char>::append(char const*)", "", "/usr/lib/libc++.so.1",
	  RUNTIME_LIBRARY },
	{ "strdup", "", LIBC, RUNTIME_LIBRARY },
	{ "getline", "iogetdelim.c", LIBC, RUNTIME_LIBRARY },
	{ "clone3", "../sysdeps/unix/sysv/linux/x86_64/clone3.S", LIBC, RUNTIME_LIBRARY },
	{ "clone3", "", "", RUNTIME_LIBRARY },
	{ "start_thread", "pthread_create.c", "", RUNTIME_LIBRARY },
	{ "__libc_start_main@@GLIBC_2.34", "", "", RUNTIME_LIBRARY },
	{ "__libc_start_call_main", "", "", RUNTIME_LIBRARY },
	{ "_start", "", "/bin/a", RUNTIME_LIBRARY },
	{ "_dl_init", "", "/lib64/ld-linux-x86-64.so.2", RUNTIME_LIBRARY },
	{ "__cxa_allocate_exception", "", "", RUNTIME_LIBRARY },
	/* as Massif and DHAT name inlined functions */
	{ "allocate", "new_allocator.h", "", RUNTIME_LIBRARY },
	{ "_M_invoke<0>", "thread", "", RUNTIME_LIBRARY }, /* of gcc 10 */
	{ "_M_construct<char const*>", "basic_string.tcc", "", RUNTIME_LIBRARY },
	{ "push_back", "stl_vector.h", "", RUNTIME_LIBRARY },
	{ "allocate", STL "new_allocator.h", "", RUNTIME_LIBRARY },
	{ "printf", "printf.c", "", RUNTIME_LIBRARY },
	{ "app::printf(char const*)", "printf.cc", "", RUNTIME_NOT },
	{ "call_init", "dl-init.c", "", RUNTIME_LIBRARY },
	{ "allocate_stack", "allocatestack.c", "", RUNTIME_LIBRARY },
	{ "malloc", "vg_replace_malloc.c", "", RUNTIME_LIBRARY },
	{ "realloc", "", "/usr/libexec/valgrind/vgpreload_massif-amd64-linux.so",
	  RUNTIME_LIBRARY },
	{ "draw", "dl-list.cc", "", RUNTIME_NOT },
	/* Rust */
	{ "<alloc::vec::Vec<T> as core::clone::Clone>::clone", "", "", RUNTIME_LIBRARY },
	{ "<u8 as alloc::vec::spec_from_elem::SpecFromElem>::from_elem", "", "/bin/a",
	  RUNTIME_LIBRARY },
	{ "<app::Row as core::clone::Clone>::clone", "", "/bin/a", RUNTIME_NOT },
	{ "core::ops::function::FnOnce::call_once", "/rustc/abc/library/core/src/ops/function.rs",
	  "/bin/a", RUNTIME_LIBRARY },
	{ "alloc::raw_vec::finish_grow", "", "/bin/a", RUNTIME_LIBRARY },
	{ "hashbrown::raw::RawTable<T,A>::reserve_rehash", "src/raw/mod.rs", "", RUNTIME_LIBRARY },
	{ "__rust_alloc", "", "", RUNTIME_LIBRARY },
	/* Go */
	{ "runtime.(*pageAlloc).sysInit", "/usr/lib/go/src/runtime/mpagealloc_64bit.go", "/bin/a",
	  RUNTIME_AGENT },
	{ "runtime.mallocgc", "", "", RUNTIME_AGENT },
	{ "runtime.sysReserveOS", "", "", RUNTIME_LIBRARY },
	{ "runtime.mmap.func1", "", "", RUNTIME_LIBRARY },
	{ "internal/cpu.doinit", "", "", RUNTIME_AGENT },
	{ "_cgo_try_pthread_create", "", "", RUNTIME_AGENT },
	{ "x_cgo_mmap", "", "", RUNTIME_LIBRARY },
	{ "main.fill", "", "", RUNTIME_NOT },
	/* wrappers of malloc */
	{ "xmalloc", "xmalloc.c", "/bin/a", RUNTIME_AGENT },
	{ "sqlite3Malloc", "", "/usr/lib/libsqlite3.so.0", RUNTIME_AGENT },
	/* CPython */
	{ "_PyEval_EvalFrameDefault", "", PYTHON, RUNTIME_EVALUATOR },
	{ "_PyEval_EvalFrameDefault", "ceval.c", "", RUNTIME_EVALUATOR },
	{ "pymain_run_file", "main.c", "", RUNTIME_EVALUATOR },
	{ "_PyFunction_Vectorcall", "", "/usr/lib/libpython3.12.so.1.0", RUNTIME_EVALUATOR },
	{ "Py_BytesMain", "", PYTHON, RUNTIME_EVALUATOR },
	{ "main", "", PYTHON, RUNTIME_EVALUATOR },
	{ "resize_compact", "Objects/unicodeobject.c", PYTHON, RUNTIME_LIBRARY },
	{ "resize_compact", "unicodeobject.c", "", RUNTIME_LIBRARY },
	{ "_PyUnicode_JoinArray", "", PYTHON, RUNTIME_LIBRARY },
	{ "PyMem_RawMalloc", "", PYTHON, RUNTIME_LIBRARY },
	{ "list_resize", "", "/usr/bin/python3", RUNTIME_LIBRARY },
	{ "unicode_join", "", PYTHON, RUNTIME_INTERPRETER },
	{ "scan_once_unicode", "_json.c", "/usr/lib/python3.11/lib-dynload/_json.cpython-311.so",
	  RUNTIME_INTERPRETER },
	{ "array_new", "", "/usr/lib/python3/dist-packages/numpy/core/_multiarray.so", RUNTIME_NOT },
	{ "_PyEval_EvalFrameDefault", "", "/usr/bin/python3-config", RUNTIME_NOT },
	/* Java and Node.js */
	{ "Interpreter", "", "", RUNTIME_EVALUATOR },
	{ "Builtin:ArrayMap", "", "", RUNTIME_EVALUATOR },
	{ "AllocateHeap(unsigned long)", "", "/opt/jdk/lib/server/libjvm.so", RUNTIME_LIBRARY },
	{ "AllocateHeap(unsigned long)", "", "/opt/other", RUNTIME_NOT },
	{ "G1CollectedHeap::G1CollectedHeap()", "", "/opt/jdk/lib/server/libjvm.so",
	  RUNTIME_INTERPRETER },
	{ "v8::internal::Heap::New()", "", "/usr/bin/node", RUNTIME_INTERPRETER },
	{ "v8::internal::Heap::New()", "", "/opt/other", RUNTIME_NOT },
};

static void kinds(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		enum runtime_kind kind = runtime_rule_kind(cases[i].name, cases[i].file,
							   cases[i].object);

		if (kind != cases[i].want)
			diag("%s, %s, %s", cases[i].name, cases[i].file, cases[i].object);
		EQ_U(kind, cases[i].want);
	}
}

static void wrappers(void)
{
	IS_TRUE(runtime_rule_is_wrapper("xmalloc"));
	IS_TRUE(runtime_rule_is_wrapper("sqlite3Malloc"));
	IS_TRUE(runtime_rule_is_wrapper("PyMem_Realloc"));
	IS_TRUE(runtime_rule_is_wrapper("char* util::x_strdup<char>(char const*)"));
	IS_FALSE(runtime_rule_is_wrapper("malloc_test::run(int)"));
	IS_FALSE(runtime_rule_is_wrapper("read(std::malloc_allocator<int>)"));
	IS_FALSE(runtime_rule_is_wrapper("allocate"));
	IS_FALSE(runtime_rule_is_wrapper(""));
}

static void scripts(void)
{
	IS_TRUE(runtime_rule_is_script("py::<module>"));
	IS_TRUE(runtime_rule_is_script("JS:*fill"));
	IS_TRUE(runtime_rule_is_script("LazyCompile:~fill /a.js:1"));
	IS_FALSE(runtime_rule_is_script("py"));
	IS_FALSE(runtime_rule_is_script("main"));
}

int main(void)
{
	kinds();
	wrappers();
	scripts();
	return done_testing();
}

/* runtime_rule.c -- Decides by its names whether a function belongs to a run-time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/runtime_rule.h"

#include <stddef.h>
#include <string.h>

#include "profile/model/shortname.h"

/* The names of one function. */
struct rule_names {
	const char *whole;	/* with arguments */
	const char *name;	/* short */
	const char *file;
	const char *base;	/* file without the directory */
	const char *path;	/* of the object */
	const char *object;	/* without the directory */
};

static bool has_prefix(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool has_suffix(const char *text, const char *with)
{
	size_t length = strlen(text), least = strlen(with);

	return length >= least && strcmp(text + length - least, with) == 0;
}

static bool begins_with_any(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (has_prefix(text, *list))
			return true;
	return false;
}

static bool equals_any(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(text, *list) == 0)
			return true;
	return false;
}

static bool contains_any(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strstr(text, *list))
			return true;
	return false;
}

/* ---- C, C++, Rust, Go ---------------------------------------------------------------------- */

static bool is_library_object(const struct rule_names *n)
{
	static const char *const objects[] = { "libc.so", "libc-2", "libstdc++.so", "libc++",
					       "ld-linux", "ld-2", "libgcc_s", "libpthread",
					       "linux-vdso", "[vdso]", "vgpreload_", NULL };

	return begins_with_any(n->object, objects);
}

/* Profiles of other tools name the source of a function of libc instead of its object, if they know
 * it. */
static bool is_libc_source(const struct rule_names *n)
{
	static const char *const sources[] = {
		"allocatestack.c", "clone.S", "clone3.S", "cxa_atexit.c", "fdopendir.c",
		"filedoalloc.c", "fileops.c", "genops.c", "iofdopen.c", "iofopen.c",
		"iofopncook.c", "iogetdelim.c", "libc-start.c", "libc_start_call_main.h",
		"loadarchive.c", "loadlocale.c", "malloc.c", "opendir.c", "pthread_create.c",
		"reallocarray.c", "rtld-malloc.h", "rtld.c", "setenv.c", "setlocale.c", "start.S",
		"strdup.c", "strndup.c", "tzfile.c", "tzset.c", "vasprintf.c",
		"vfprintf-internal.c", "wfileops.c", "wgenops.c", NULL
	};

	return equals_any(n->base, sources) ||
	       (has_prefix(n->base, "dl-") && has_suffix(n->base, ".c"));
}

/* Massif and DHAT name a header without its directory, and an inlined function without its
 * namespace: "allocate (new_allocator.h:147)". */
static bool is_library_source(const struct rule_names *n)
{
	static const char *const directories[] = { "/include/c++/", "/rustc/", "/libstdc++-v3/",
						   "/glibc-", "/sysdeps/", NULL };
	static const char *const headers[] = {
		"alloc_traits.h", "allocated_ptr.h", "allocator.h", "any", "basic_ios.h",
		"basic_string.h", "basic_string.tcc", "char_traits.h",
		"condition_variable", "cow_string.h", "deque.tcc", "exception_ptr.h",
		"ext/alloc_traits.h", "forward_list.h", "forward_list.tcc", "fs_path.h",
		"fstream", "fstream.tcc", "functional", "future", "hashtable.h",
		"hashtable_policy.h", "invoke.h", "ios_base.h", "list.tcc",
		"locale_facets.tcc", "malloc_allocator.h", "memory_resource",
		"memory_resource.h", "mutex", "new_allocator.h", "new_op.cc",
		"new_opa.cc", "new_opv.cc", "node_handle.h", "optional",
		"ostream_insert.h", "predefined_ops.h", "ptr_traits.h", "range_access.h",
		"regex_automaton.h", "regex_automaton.tcc", "regex_compiler.h",
		"regex_compiler.tcc", "regex_executor.tcc", "shared_mutex",
		"shared_ptr.h", "shared_ptr_base.h", "sstream", "sstream.tcc",
		"std_function.h", "std_mutex.h", "std_thread.h", "streambuf.tcc",
		"string_view.tcc", "thread", "tuple", "unique_lock.h", "unique_ptr.h",
		"unordered_map.h", "unordered_set.h", "uses_allocator_args.h", "variant",
		"vector.tcc", "vg_replace_malloc.c", NULL
	};

	return contains_any(n->file, directories) ||
	       (n->base == n->file && (equals_any(n->base, headers) ||
				       (has_prefix(n->base, "stl_") && has_suffix(n->base, ".h")) ||
				       is_libc_source(n)));
}

/* Other languages have namespaces of these names, too: theirs are in other files, or the name has
 * arguments. */
static bool is_rust_library_name(const struct rule_names *n)
{
	static const char *const names[] = { "alloc::", "core::", "hashbrown::", "<alloc::",
					     "<core::", "<std::", "<hashbrown::", NULL };

	/* Traits of the library alone: <u8 as alloc::vec::spec_from_elem::SpecFromElem>::... */
	if (*n->whole == '<' && strstr(n->whole, " as alloc::vec::spec_"))
		return true;
	return begins_with_any(n->name, names) &&
	       (*n->file ? has_suffix(n->file, ".rs") : !strchr(n->whole, '('));
}

static bool is_library_name(const struct rule_names *n)
{
	static const char *const prefixes[] = {
		"std::", "__gnu_cxx::", "__cxxabiv1::", "operator new", "operator delete",
		"__invoke", "__rust_", "__rdl_", "__rg_", "_Zn", "_ZNSt", "_ZNKSt", "_ZSt",
		"_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "__cxa_", "__libc_start_", "__libc_csu_",
		"__GI_", "_IO_", "_dl_", NULL
	};
	static const char *const whole[] = {
		"clone", "clone3", "__clone", "__clone3", "__clone_internal", "start_thread",
		"_start", "generic_start_main", "(below main)", "printf", "fprintf", "vfprintf",
		"vprintf", "__vfprintf_internal", "puts", "fputs", "putchar", "fwrite", "fread",
		"fgets", "getline", "getdelim", "__getdelim", "fopen", "fopen64", "fdopen",
		"opendir", "qsort", "bsearch", "setlocale", "pthread_create", "pthread_once", NULL
	};

	return begins_with_any(n->name, prefixes) || equals_any(n->whole, whole) ||
	       is_rust_library_name(n);
}

/* Go maps the memory of its objects itself, on stacks of its own: most stacks of --pages-as-heap
 * have no other function. A function that hands the request on to mmap says nothing of the
 * memory. */
static enum runtime_kind go_kind(const struct rule_names *n)
{
	static const char *const prefixes[] = { "runtime.", "runtime/", "internal/cpu.", "_cgo_",
						"x_cgo_", "crosscall", NULL };
	static const char *const passing[] = { "runtime.mmap", "runtime.sys", "runtime.callCgoMmap",
					       "runtime.asmcgocall", "runtime.mcall", "x_cgo_mmap",
					       "crosscall", NULL };

	if (!begins_with_any(n->name, prefixes))
		return RUNTIME_NOT;
	return begins_with_any(n->name, passing) ? RUNTIME_LIBRARY : RUNTIME_AGENT;
}

/* ---- interpreters -------------------------------------------------------------------------- */

/* "libpython3.11.so.1.0", "python3", "python3.12d"; modules that are a part of Python */
static bool is_python_object(const struct rule_names *n)
{
	return has_prefix(n->object, "libpython") || strstr(n->path, "/lib-dynload/") ||
	       (has_prefix(n->object, "python") &&
		strspn(n->object + 6, "0123456789.dmt") == strlen(n->object + 6));
}

/* Profiles of other tools name the source instead of the object. */
static bool is_python_source(const struct rule_names *n)
{
	static const char *const sources[] = { "ceval.c", "obmalloc.c", "gcmodule.c", "gc.c",
					       "call.c", "pythonrun.c", "unicodeobject.c",
					       "bytesobject.c", "listobject.c", "dictobject.c",
					       "tupleobject.c", "longobject.c", "typeobject.c",
					       "funcobject.c", "classobject.c", "methodobject.c",
					       "object.c", NULL };

	return equals_any(n->base, sources) || has_prefix(n->name, "_Py") ||
	       has_prefix(n->name, "Py") || has_prefix(n->name, "pymain_");
}

/* The functions that make an object of any kind, or that make it larger. */
static bool is_python_allocator(const char *name)
{
	static const char *const prefixes[] = {
		"_PyMem_", "PyMem_", "_PyObject_Malloc", "_PyObject_Calloc", "_PyObject_Realloc",
		"PyObject_Malloc", "PyObject_Calloc", "PyObject_Realloc", "_PyObject_GC_",
		"PyObject_GC_", "_PyObject_New", "PyObject_Init", "PyType_GenericAlloc",
		"PyType_GenericNew", "_PyType_Alloc", "_PyUnicode_", "PyUnicode_New",
		"PyUnicode_Resize", "_PyUnicodeWriter_", "_PyBytesWriter_", "resize_compact",
		"unicode_resize", "PyTuple_New", "_PyTuple_", "tuple_alloc", "PyList_New",
		"list_resize", "list_preallocate", "PyDict_New", "new_dict", "new_keys_object",
		"dict_resize", "dictresize", "insertion_resize", "insert_to_emptydict",
		"_PyLong_New", "PyBytes_FromStringAndSize", "_PyBytes_Resize",
		"_PyBytes_FromSize", "gc_alloc", "new_arena", "allocate_from_new_pool",
		"pymalloc_", "arena_map", "new_values", "PyByteArray_Resize",
		"_PyObject_InitInlineValues", "make_dict_from_instance_attributes",
		"_PyObject_MaterializeManagedDict", NULL
	};

	return begins_with_any(name, prefixes);
}

/* The loop that evaluates bytecode, calls through it, and what starts it. */
static bool is_python_evaluator(const char *name)
{
	static const char *const prefixes[] = {
		"_PyEval_", "PyEval_", "_PyFunction_", "PyObject_Call", "_PyObject_Call",
		"PyObject_Vectorcall", "_PyObject_Vectorcall", "_PyObject_FastCall",
		"_PyObject_MakeTpCall", "PyVectorcall_", "_PyVectorcall_", "object_vacall",
		"method_vectorcall", "vectorcall_", "cfunction_", "cfunction_vectorcall_",
		"function_code_fastcall", "_PyMethodDef_", "_PyCFunction_", "PyCFunction_Call",
		"_PyStack_", "slot_tp_", "type_call", "gen_send_ex", "gen_iternext",
		"py_trampoline_evaluator", "run_mod", "run_eval_code_obj", "pyrun_", "_PyRun_",
		"PyRun_", "pymain_", "Py_RunMain", "Py_BytesMain", "Py_Main", "builtin_exec",
		"partial_vectorcall", "trampoline_call", "PyIter_Next", NULL
	};

	return begins_with_any(name, prefixes) || strcmp(name, "main") == 0;
}

static enum runtime_kind python_kind(const struct rule_names *n)
{
	const bool is_python = is_python_object(n);

	if (!is_python && (*n->object || !is_python_source(n)))
		return RUNTIME_NOT;
	if (is_python_allocator(n->name))
		return RUNTIME_LIBRARY;
	if ((is_python || strcmp(n->name, "main") != 0) && is_python_evaluator(n->name))
		return RUNTIME_EVALUATOR;
	return is_python ? RUNTIME_INTERPRETER : RUNTIME_NOT;
}

bool runtime_rule_is_script(const char *name)
{
	static const char *const prefixes[] = { "py::", "JS:", "LazyCompile:", "Function:",
						"Script:", "Eval:", NULL };

	return begins_with_any(name, prefixes);
}

/* Tells whether a function imports modules: the code of a module is memory of its importer. */
static bool is_script_importer(const struct rule_names *n)
{
	return runtime_rule_is_script(n->name) && (has_prefix(n->file, "<frozen importlib") ||
						   has_prefix(n->file, "node:internal/"));
}

/* The Java virtual machine, and V8 in Node.js and others. */
static enum runtime_kind compiler_kind(const struct rule_names *n)
{
	static const char *const objects[] = { "libjvm.so", "libjli.so", "libv8", "libnode.so",
					       NULL };
	static const char *const names[] = { "v8::", "node::", "Builtins_", "v8impl::", "cppgc::",
					     NULL };
	static const char *const allocators[] = {
		"AllocateHeap", "ReallocateHeap", "os::malloc", "os::realloc", "CHeapObj",
		"NMTPreInit", "ResourceObj::operator new", "AnyObj::operator new",
		"Chunk::operator new", "ChunkPool::allocate", NULL
	};
	static const char *const stubs[] = { "Builtin:", "BytecodeHandler:", "Handler:", "Stub:",
					     "StubRoutines", "call_stub", NULL };

	if (!*n->object && !*n->file &&
	    (begins_with_any(n->name, stubs) || strcmp(n->name, "Interpreter") == 0))
		return RUNTIME_EVALUATOR;
	if (has_prefix(n->object, "libjvm.so") && begins_with_any(n->name, allocators))
		return RUNTIME_LIBRARY;
	if (begins_with_any(n->object, objects) ||
	    (strcmp(n->object, "node") == 0 &&
	     (begins_with_any(n->name, names) || strcmp(n->name, "main") == 0)))
		return RUNTIME_INTERPRETER;
	return RUNTIME_NOT;
}

/* ---- the rule ------------------------------------------------------------------------------ */

bool runtime_rule_is_wrapper(const char *name)
{
	static const char *const verbs[] = { "malloc", "calloc", "realloc", "zalloc", "memalign",
					     "strdup", "strndup", "memdup", NULL };
	char text[256];
	const char *last = shortname(name, text, sizeof(text));

	for (const char *at = last; (at = strstr(at, "::")) != NULL;)
		last = at += 2;
	for (size_t i = 0; verbs[i]; i++)
		if (strcasestr(last, verbs[i]))
			return true;
	return false;
}

enum runtime_kind runtime_rule_kind(const char *name, const char *file, const char *object)
{
	char text[256];
	const struct rule_names n = { .whole = name,
				      .name = shortname(name, text, sizeof(text)),
				      .file = file, .base = basename(file),
				      .path = object, .object = basename(object) };
	enum runtime_kind kind;

	/* "[libc.so.6]": no call, but memory that was mapped at the start. */
	if (*name == '[')
		return RUNTIME_NOT;
	if (is_library_object(&n) || is_library_source(&n) || is_library_name(&n) ||
	    is_script_importer(&n))
		return RUNTIME_LIBRARY;
	kind = go_kind(&n);
	if (kind == RUNTIME_NOT)
		kind = python_kind(&n);
	if (kind == RUNTIME_NOT)
		kind = compiler_kind(&n);
	if (kind < RUNTIME_EVALUATOR && runtime_rule_is_wrapper(name))
		return RUNTIME_AGENT;
	return kind;
}

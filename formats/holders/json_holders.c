/* json_holders.c -- The member "holders" of a process in JSON.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/holders/json_holders.h"

#include <inttypes.h>

#include "formats/base/json_text.h"
#include "profile/model/holder_names.h"

/* A moment that is being written. */
struct writer {
	FILE *out;
	const struct holders *h;
	uint32_t moment;
	const struct holder_names *names;
	const uint32_t *listed;
	uint32_t sites;
};

static void write_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "\"%s\":%" PRIu64 ",", key, value);
}

static void write_site(const struct writer *w, uint32_t site)
{
	if (site < w->sites && w->listed[site] != UINT32_MAX)
		fprintf(w->out, "%" PRIu32, w->listed[site]);
	else
		fputs("null", w->out);
}

/* The source line of the function of a frame, if that is known. */
static void write_line(const struct writer *w, uint32_t root)
{
	const struct holder_line *at = holder_names_line(w->names, w->moment, root);

	if (!at->file)
		return;
	json_put_field(w->out, "file", at->file);
	write_number(w->out, "line", at->line);
}

static void write_roots(const struct writer *w)
{
	static const char *const kind[MU_HOLDER_ROOT_KINDS] = {
		[MU_HOLDER_GLOBAL] = "global", [MU_HOLDER_TLS] = "thread-local",
		[MU_HOLDER_MAPPING] = "mapping", [MU_HOLDER_SHARED] = "shared",
		[MU_HOLDER_STACK] = "stack", [MU_HOLDER_LOST] = "lost",
	};

	fputs("\"roots\":[", w->out);
	for (uint32_t i = 0; i < w->h->head->roots; i++) {
		const struct mu_holder_root *r = &w->h->root[i];

		fprintf(w->out, "%s{\"kind\":\"%s\",", i ? ",\n " : "\n ", kind[r->kind]);
		json_put_field(w->out, "name", holder_names_root(w->names, w->moment, i));
		json_put_field(w->out, "object", holders_text(w->h, r->object));
		write_line(w, i);
		write_number(w->out, "thread", r->thread);
		fprintf(w->out, "\"address\":\"0x%" PRIx64 "\",\"size\":%" PRIu64 "}", r->address,
			r->size);
	}
	fputs("],\n", w->out);
}

/* null: more roots than a set names. */
static void write_sets(const struct writer *w)
{
	fputs("\"sets\":[", w->out);
	for (uint32_t i = 0; i < w->h->head->sets; i++) {
		const struct mu_holder_set *s = &w->h->set[i];

		fputs(i ? ",\n " : "\n ", w->out);
		if (s->count > MU_HOLDER_SET_MOST) {
			fputs("null", w->out);
			continue;
		}
		for (uint32_t k = 0; k < s->count; k++)
			fprintf(w->out, "%s%" PRIu32, k ? "," : "[", s->root[k]);
		putc(']', w->out);
	}
	fputs("],\n", w->out);
}

static void write_node(const struct writer *w, const struct mu_holder_node *n, uint32_t number)
{
	if (number > 0)
		write_number(w->out, "parent", n->parent);
	switch (n->kind) {
	case MU_HOLDER_ROOT:
		write_number(w->out, "root", n->what);
		break;
	case MU_HOLDER_SET:
		write_number(w->out, "set", n->what);
		break;
	case MU_HOLDER_SITE:
		fputs("\"site\":", w->out);
		write_site(w, n->what);
		fputs(",", w->out);
		if (*holder_names_type(w->names, n->what))
			json_put_field(w->out, "type", holder_names_type(w->names, n->what));
		break;
	default:
		break;
	}
	fprintf(w->out, "\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64 "}", n->bytes, n->blocks);
}

static void write_tree(const struct writer *w, const char *name, const struct mu_holder_node *node,
		       uint32_t count)
{
	fprintf(w->out, "\"%s\":[", name);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? ",\n {" : "\n {", w->out);
		write_node(w, &node[i], i);
	}
	fputs("]", w->out);
}

static void write_moment(const struct writer *w, uint64_t start_ns)
{
	const struct mu_holders *h = w->h->head;

	fputs("{", w->out);
	write_number(w->out, "time_ns", h->mono_ns > start_ns ? h->mono_ns - start_ns : 0);
	write_number(w->out, "pause_ns", h->pause_ns);
	fprintf(w->out, "\"at_end\":%s,\"is_incomplete\":%s,\n",
		h->flags & MU_HOLDERS_AT_END ? "true" : "false",
		h->flags & MU_HOLDERS_CUT ? "true" : "false");
	write_roots(w);
	write_sets(w);
	write_tree(w, "retained", w->h->retained, h->retained);
	fputs(",\n", w->out);
	write_tree(w, "shortest", w->h->via, h->via);
	fputs("}", w->out);
}

void json_write_holders(FILE *out, const struct image *im, const struct profile *p,
			const uint32_t *listed)
{
	struct holder_moments moments;
	struct holder_names names;

	holder_moments_read(&moments, im);
	if (moments.count == 0) {
		holder_moments_free(&moments);
		return;
	}
	holder_names_init(&names, moments.at, moments.count, p);
	fputs(",\n\"holders\":[", out);
	for (uint32_t i = 0; i < moments.count; i++) {
		const struct writer w = { out, &moments.at[i], i, &names, listed, p->sites.count };

		fputs(i ? ",\n" : "\n", out);
		write_moment(&w, im->head.process.start_mono_ns);
	}
	fputs("]", out);
	holder_names_free(&names);
	holder_moments_free(&moments);
}

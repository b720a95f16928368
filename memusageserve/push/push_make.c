/* push_make.c -- Makes the message of a push, in a worker.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/push/push_make.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/base/gzip.h"
#include "formats/base/utf8.h"
#include "memusage/common/clock.h"
#include "memusageserve/push/push_state.h"
#include "memusageserve/source/look.h"

static enum worker_result explain(FILE *out, const struct mu_error *err)
{
	fprintf(out, "%s\n", err->text);
	return err->code == MU_ERROR_NONE ? WORKER_NOT_FOUND : WORKER_FAILED;
}

static void read_earlier_state(struct push_state *state, const struct push_order *o)
{
	FILE *in = o->earlier >= 0 ? fdopen(dup(o->earlier), "r") : NULL;
	struct push_made before;

	if (in && (fseek(in, 0, SEEK_SET) < 0 || fread(&before, sizeof(before), 1, in) != 1 ||
		   fseek(in, (long)before.message, SEEK_CUR) < 0)) {
		fclose(in);
		in = NULL;
	}
	push_state_read(state, in);
	if (!in)
		state->taken_ns = o->since_ns;
	if (in)
		fclose(in);
}

/* "httpd": the file name of the first program, which is UTF-8 afterwards. */
static void choose_service(char service[PUSH_SERVICE], const struct look *l,
			   const struct push_order *o)
{
	const struct look_process *first = l->process[0];
	char *path, *clean;

	for (size_t i = 0; i < l->count && !o->service; i++) {
		if (l->process[i]->pid == o->run->pid)
			first = l->process[i];
	}
	path = o->service ? xstrdup(o->service) :
			    xcheck(image_text(&first->image, &first->image.head.process.exe));
	clean = utf8_clean(strrchr(path, '/') && !o->service ? strrchr(path, '/') + 1 : path, "");
	snprintf(service, PUSH_SERVICE, "%.100s", *clean ? clean : "program");
	free(clean);
	free(path);
}

static char *compress_message(struct protobuf *message, size_t *size)
{
	char *packed;
	FILE *out = xopen_memstream(&packed, size);
	struct gzip *gzip = gzip_open(out);

	gzip_write(gzip, message->data, message->size);
	gzip_close(gzip);
	xclose_memstream(out);
	message->size = 0;
	return packed;
}

static void make_identity(struct push_identity *of, const struct push_order *o,
			  const struct push_made *made)
{
	*of = (struct push_identity){ .service = made->service, .label = o->label,
				      .labels = o->labels, .version = MEMUSAGE_VERSION };
	if (getrandom(of->id, sizeof(of->id), 0) < 0)
		memset(of->id, 1, sizeof(of->id));
	/* RFC 4122, a random UUID. */
	of->id[6] = (of->id[6] & 0x0f) | 0x40;
	of->id[8] = (of->id[8] & 0x3f) | 0x80;
}

/* Encodes with fewer and fewer samples, until the message is small enough. */
static void encode_set(struct protobuf *message, struct push_set *set, const struct push_order *o,
		       const struct push_identity *of)
{
	for (size_t most = PUSH_SAMPLES_MAX; most > 0; most /= 2) {
		struct push_dictionary d;

		message->size = 0;
		push_set_keep(set, most);
		push_dictionary_build(&d, set);
		if (o->is_otlp)
			push_otlp_encode(message, set, &d, of);
		else
			push_pprof_encode(message, set, &d);
		push_dictionary_free(&d);
		if (message->size <= PUSH_BYTES_MAX)
			return;
	}
}

/* Returns the message to be sent, to be freed. */
static char *make_message(struct push_set *set, const struct push_order *o, struct push_made *made,
			  size_t *size)
{
	struct protobuf message = { .size = 0 };
	struct push_identity of;
	char *packed;

	make_identity(&of, o, made);
	encode_set(&message, set, o, &of);
	made->samples = (uint32_t)(set->kept + push_set_has_other(set));
	made->merged = (uint32_t)(set->count - set->kept);
	packed = compress_message(&message, size);
	if (!o->is_otlp) {
		push_pyroscope_encode(&message, &of, packed, *size);
		free(packed);
		*size = message.size;
		return (char *)message.data;
	}
	protobuf_free(&message);
	return packed;
}

/* The processes of a push: those that run, and those that have ended since the one before. */
struct processes {
	struct look live, ended;
	struct push_process *process;
	size_t count;
	uint32_t ended_images;	/* in the recording */
};

/* Returns the sites of a process that has ended since we looked at those that run; or NULL. */
static const struct sites *sites_when_live(const struct processes *all,
					   const struct look_process *ended)
{
	const struct mu_process *e = &ended->image.head.process;

	for (size_t i = 0; i < all->live.count; i++) {
		const struct mu_process *p = &all->live.process[i]->image.head.process;

		if (p->pid == e->pid && p->start_mono_ns == e->start_mono_ns &&
		    p->fork_mono_ns == e->fork_mono_ns)
			return &all->live.process[i]->profile.sites;
	}
	return NULL;
}

static void add_processes(struct processes *all, const struct look *l, bool has_ended,
			  const struct push_state *state)
{
	all->process = xreallocarray(all->process, all->count + l->count + 1,
				     sizeof(*all->process));
	for (size_t i = 0; i < l->count; i++) {
		const struct sites *live = has_ended ? sites_when_live(all, l->process[i]) : NULL;

		all->process[all->count++] = (struct push_process){
			.export = &l->process[i]->export,
			.earlier = live ? live :
					  push_state_find(state, &l->process[i]->image,
							  &l->process[i]->profile.sites),
			.has_ended = has_ended,
		};
	}
}

/* An image that is still being written is left to the next push. */
static void add_ended_processes(struct processes *all, const struct push_order *o,
				const struct push_state *state)
{
	const struct look_options options = { .parts = RUN_PLACES, .has_names = true,
					      .first = state->ended,
					      .no_names_cache = o->no_names_cache };
	struct mu_error err;

	all->ended_images = state->ended;
	if (o->recording < 0 || look_open(&all->ended, o->recording, &options, &err) < 0)
		return;
	all->ended_images += (uint32_t)all->ended.count;
	add_processes(all, &all->ended, true, state);
}

static int take_processes(struct processes *all, const struct push_order *o,
			  const struct push_state *state, struct mu_error *err)
{
	const struct look_options options = { .parts = RUN_PLACES, .has_names = true,
					      .no_names_cache = o->no_names_cache };

	*all = (struct processes){ .count = 0 };
	if (!o->is_last && look_take(&all->live, o->run, &options, err) < 0)
		return -1;
	add_processes(all, &all->live, false, state);
	add_ended_processes(all, o, state);
	return all->count ? 0 : mu_error_set(err, MU_ERROR_NONE, 0, "no process is recorded now");
}

static void write_made(FILE *out, const struct processes *all, const struct push_order *o,
		       struct push_set *set, uint64_t now_ns)
{
	const struct look *l = &all->live;

	struct push_made made = { .message = 0 };
	size_t size;
	char *message;

	for (size_t i = 0; i < set->count; i++)
		made.alloc_bytes += (uint64_t)set->sample[i].value[PUSH_ALLOC_SPACE];
	choose_service(made.service, l->count ? l : &all->ended, o);
	message = make_message(set, o, &made, &size);
	made.message = size;
	fwrite(&made, sizeof(made), 1, out);
	fwrite(message, 1, size, out);
	push_state_begin(out, now_ns, all->ended_images, (uint32_t)l->count);
	for (size_t i = 0; i < l->count; i++)
		push_state_put(out, &l->process[i]->image, &l->process[i]->profile.sites);
	free(message);
}

/* The process ends: nothing need be released. */
enum worker_result push_make(FILE *out, void *data)
{
	const struct push_order *o = data;
	const uint64_t now_ns = clock_now(CLOCK_MONOTONIC);
	struct mu_error err = { .text = "" };
	struct push_state state;
	struct processes all;
	struct push_set set;

	read_earlier_state(&state, o);
	if (take_processes(&all, o, &state, &err) < 0)
		return explain(out, &err);
	push_set_build(&set, all.process, all.count);
	set.time_ns = clock_now(CLOCK_REALTIME);
	set.duration_ns = state.taken_ns && state.taken_ns < now_ns ?
				  now_ns - state.taken_ns :
				  all.process[0].export->duration_ns;
	write_made(out, &all, o, &set, now_ns);
	return WORKER_DONE;
}

/* view.c -- The state of a live view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


enum { MESSAGE_LOOKS = 3 };

void view_init(struct view *v, enum top_kind group, const char *filter)
{
	*v = (struct view){ .group = group, .wants_history = true, .output.fd = -1 };
	snprintf(v->filter, sizeof(v->filter), "%s", filter);
}

/* ---- rows --------------------------------------------------------------------------------- */

static struct live_sheets make_place_sheets(struct view *v)
{
	const uint32_t *keys = places_keys(&v->places, v->group);
	const uint32_t count = v->places.profile.sites.count;

	return (struct live_sheets){ .now = look_sheet(&v->now, keys, count),
				     .before = look_sheet(&v->before, keys, count),
				     .mark = look_sheet(&v->mark, keys, count) };
}

static void free_place_sheets(struct live_sheets *s)
{
	free(s->now.item);
	free(s->before.item);
	free(s->mark.item);
}

static double seconds_between(const struct look *before, const struct look *now)
{
	return before->pid && now->ns > before->ns ? (double)(now->ns - before->ns) / 1e9 : 0;
}

static uint32_t find_row(const struct view *v, uint32_t key, uint32_t node)
{
	uint32_t i = 0;

	while (i < v->rows.count &&
	       (v->rows.row[i].key != key || v->rows.row[i].branch.node != node))
		i++;
	return i;
}

/* The selection stays on its row, and the row stays on the screen. */
static void restore_selection(struct view *v, uint32_t key, uint32_t node)
{
	const uint32_t i = find_row(v, key, node);

	if (i < v->rows.count && v->selected > 0)
		v->selected = i;
	if (v->selected >= v->rows.count)
		v->selected = v->rows.count > 0 ? v->rows.count - 1 : 0;
}

static void build_rows(struct view *v)
{
	const struct live_order order = { .column = v->column[v->table],
					  .is_reversed = v->is_reversed, .filter = v->filter };
	const double seconds = seconds_between(&v->before, &v->now);
	struct live_sheets s;

	if (v->table == LIVE_CALLERS) {
		callers_build(&v->rows, &v->callers, &v->places, &v->now, &v->before, &v->mark,
			      seconds, &order);
		return;
	}
	if (v->table == LIVE_PLACES)
		s = make_place_sheets(v);
	else if (v->table == LIVE_THREADS)
		s = (struct live_sheets){ v->now.threads, v->before.threads, v->mark.threads, 0 };
	else
		s = (struct live_sheets){ v->now.processes, v->before.processes,
					  v->mark.processes, 0 };
	s.seconds = seconds;
	rows_build(&v->rows, &v->places.names, &s, &order);
	if (v->table == LIVE_PLACES)
		free_place_sheets(&s);
}

void view_update_rows(struct view *v)
{
	const bool has_row = v->selected < v->rows.count;
	const uint32_t key = has_row ? v->rows.row[v->selected].key : 0;
	const uint32_t node = has_row ? v->rows.row[v->selected].branch.node : 0;

	rows_free(&v->rows);
	build_rows(v);
	restore_selection(v, key, node);
}

static void copy_look(struct look *to, const struct look *from)
{
	look_free(to);
	look_copy(to, from);
}

void view_take(struct view *v, struct look *next, const struct live_answer *answer)
{
	struct live_point point = { .ns = next->ns,
				    .heap = next->heap > 0 ? (double)next->heap : 0,
				    .rss = (double)answer->rss };

	/* Sites of another program have nothing in common with those of the last. */
	if (next->start_ns != v->now.start_ns) {
		look_free(&v->now);
		look_free(&v->mark);
		v->has_mark = v->is_mark_older = false;
		if (v->table == LIVE_CALLERS)
			v->table = LIVE_PLACES;
		if (!next->has_history) {
			v->wants_history = true;
			v->curve.count = 0;
		}
	}
	if (next->has_history)
		v->wants_history = false;
	v->wants_mark = next->has_mark;
	look_free(&v->before);
	v->before = v->now;
	v->now = *next;
	*next = (struct look){ .pid = 0 };
	v->answer = *answer;
	v->status = LIVE_COPIED;
	if (v->message[0] && ++v->message_looks >= MESSAGE_LOOKS)
		v->message[0] = '\0';
	if (!v->mark.pid)
		copy_look(&v->mark, &v->now);
	curve_append(&v->curve, &point);
	view_update_rows(v);
}

void view_set_mark(struct view *v)
{
	copy_look(&v->mark, &v->now);
	v->has_mark = true;
	v->is_mark_older = false;
	view_update_rows(v);
}

void view_read_output(struct view *v)
{
	const uint32_t before = v->output.count;

	if (output_read(&v->output) && v->output_below > 0 && v->output.count > before)
		v->output_below += v->output.count - before;
}

uint32_t view_parts(const struct view *v)
{
	return (v->wants_history ? LIVE_PART_HISTORY : 0) |
	       (v->wants_mark ? LIVE_PART_MARK : 0) | LIVE_PART_PROCESSES;
}

/* ---- keys --------------------------------------------------------------------------------- */

static enum live_wish type_filter(struct view *v, int key)
{
	size_t length = strlen(v->filter);

	if (key == LIVE_KEY_INTERRUPT)
		return LIVE_WISH_INTERRUPT;
	if (key == LIVE_KEY_ENTER || key == LIVE_KEY_ESCAPE)
		v->is_typing = false;
	if (key == LIVE_KEY_ESCAPE)
		v->filter[0] = '\0';
	if ((key == LIVE_KEY_DELETE || key == '\b') && length > 0)
		v->filter[length - 1] = '\0';
	if (key >= ' ' && key < LIVE_KEY_DELETE && length + 1 < sizeof(v->filter)) {
		v->filter[length] = (char)key;
		v->filter[length + 1] = '\0';
	}
	v->selected = v->first = 0;
	view_update_rows(v);
	return LIVE_WISH_NONE;
}

static void move_selection(struct view *v, int64_t rows)
{
	int64_t to = (int64_t)v->selected + rows, last = (int64_t)v->rows.count - 1;

	v->selected = to < 0 || last < 0 ? 0 : (uint32_t)(to > last ? last : to);
}

static void choose_column(struct view *v, int column)
{
	if (column < 0 || column >= LIVE_COLUMNS)
		return;
	v->is_reversed = column == (int)v->column[v->table] && !v->is_reversed;
	v->column[v->table] = (enum live_column)column;
	v->selected = v->first = 0;
	view_update_rows(v);
}

static void choose_table(struct view *v, enum live_table table)
{
	v->table = v->table == table ? LIVE_PLACES : table;
	v->selected = v->first = 0;
	v->is_reversed = false;
	view_update_rows(v);
}

static void choose_next_group(struct view *v)
{
	if (v->table == LIVE_CALLERS) {
		callers_choose(&v->callers, v->callers.place, v->callers.group,
			       v->callers.names == TOP_BY_LINE ? TOP_BY_FUNCTION : TOP_BY_LINE);
		v->selected = v->first = 0;
		view_update_rows(v);
		return;
	}
	if (v->table != LIVE_PLACES) {
		choose_table(v, LIVE_PLACES);
		return;
	}
	v->group = v->group == TOP_BY_OBJECT ? TOP_BY_LINE : v->group + 1;
	v->selected = v->first = 0;
	view_update_rows(v);
}

static void show_callers(struct view *v, uint32_t place)
{
	callers_choose(&v->callers, place, v->group,
		       v->group == TOP_BY_LINE ? TOP_BY_LINE : TOP_BY_FUNCTION);
	choose_table(v, LIVE_CALLERS);
}

/* Goes back to the place. */
static void leave_callers(struct view *v)
{
	choose_table(v, LIVE_PLACES);
	v->selected = find_row(v, v->callers.place, 0);
	if (v->selected == v->rows.count)
		v->selected = 0;
}

/* Enter on a place shows its callers, and on a process that process. */
static enum live_wish enter_row(struct view *v)
{
	if (v->table == LIVE_CALLERS) {
		leave_callers(v);
		return LIVE_WISH_NONE;
	}
	if (v->selected >= v->rows.count || v->table == LIVE_THREADS)
		return LIVE_WISH_NONE;
	if (v->table == LIVE_PLACES) {
		show_callers(v, v->rows.row[v->selected].key);
		return LIVE_WISH_NONE;
	}
	for (uint32_t i = 0; i < v->now.processes.count; i++) {
		if (v->now.processes.item[i].key == v->rows.row[v->selected].key)
			v->wanted_pid = v->now.process_pid[i];
	}
	v->wants_history = true;
	choose_table(v, LIVE_PLACES);
	return LIVE_WISH_PROCESS;
}

/* Another key than one that scrolls leaves the output, and does what it does elsewhere. Returns
 * whether it is done. */
static bool press_output_key(struct view *v, int key)
{
	const int64_t page = v->visible > 1 ? v->visible - 1 : 1;
	const int64_t most = (int64_t)v->output.count - (int64_t)v->visible;
	int64_t below = v->output_below;

	switch (key) {
	case LIVE_KEY_UP: case 'k': below++; break;
	case LIVE_KEY_DOWN: case 'j': below--; break;
	case LIVE_KEY_PAGE_UP: below += page; break;
	case LIVE_KEY_PAGE_DOWN: below -= page; break;
	case LIVE_KEY_HOME: below = most; break;
	case LIVE_KEY_END: below = 0; break;
	case ' ': case 's': case 'm': return false;
	default:
		v->has_output = false;
		return key == LIVE_KEY_ESCAPE || key == LIVE_KEY_ENTER || key == 'o';
	}
	below = below > most ? most : below;
	v->output_below = below > 0 ? (uint32_t)below : 0;
	return true;
}

static void show_output(struct view *v)
{
	v->has_output = v->output.fd >= 0;
	v->output_below = 0;
	if (!v->has_output)
		snprintf(v->message, sizeof(v->message), "what the program writes goes to where "
			 "it was directed, and is not kept for the view");
}

static bool press_moving_key(struct view *v, int key)
{
	const int64_t page = v->visible > 1 ? v->visible - 1 : 1;

	switch (key) {
	case LIVE_KEY_UP: case 'k': move_selection(v, -1); break;
	case LIVE_KEY_DOWN: case 'j': move_selection(v, 1); break;
	case LIVE_KEY_PAGE_UP: move_selection(v, -page); break;
	case LIVE_KEY_PAGE_DOWN: move_selection(v, page); break;
	case LIVE_KEY_HOME: move_selection(v, -(int64_t)UINT32_MAX); break;
	case LIVE_KEY_END: move_selection(v, UINT32_MAX); break;
	case LIVE_KEY_LEFT: choose_column(v, (int)v->column[v->table] - 1); break;
	case LIVE_KEY_RIGHT: choose_column(v, (int)v->column[v->table] + 1); break;
	default: return false;
	}
	return true;
}

static void leave_detail(struct view *v)
{
	if (v->table == LIVE_CALLERS) {
		leave_callers(v);
	} else if (v->table != LIVE_PLACES) {
		choose_table(v, LIVE_PLACES);
	} else if (v->filter[0]) {
		v->filter[0] = '\0';
		view_update_rows(v);
	}
}

static enum live_wish press_command_key(struct view *v, int key)
{
	switch (key) {
	case 'q': return LIVE_WISH_QUIT;
	case LIVE_KEY_CLOSED: return LIVE_WISH_QUIT;
	case LIVE_KEY_INTERRUPT: return LIVE_WISH_INTERRUPT;
	case 's': return LIVE_WISH_RECORD;
	case LIVE_KEY_ENTER: return enter_row(v);
	case LIVE_KEY_ESCAPE: leave_detail(v); break;
	case 'h': case '?': v->has_help = true; break;
	case '/': case 'f':
		if (v->table == LIVE_CALLERS)
			leave_callers(v);
		v->is_typing = true;
		break;
	case 'g': choose_next_group(v); break;
	case 'm': return LIVE_WISH_MARK;
	case 'o': show_output(v); break;
	case 'p': choose_table(v, LIVE_PROCESSES); break;
	case 't': choose_table(v, LIVE_THREADS); break;
	case 'r': choose_column(v, (int)v->column[v->table]); break;
	case ' ':
		v->is_paused = !v->is_paused;
		return v->is_paused ? LIVE_WISH_NONE : LIVE_WISH_LOOK;
	default:
		if (key >= '1' && key < '1' + LIVE_COLUMNS)
			choose_column(v, key - '1');
	}
	return LIVE_WISH_NONE;
}

enum live_wish view_press(struct view *v, int key)
{
	if (key == LIVE_KEY_NONE || key == LIVE_KEY_RESIZE)
		return LIVE_WISH_NONE;
	v->message[0] = '\0';
	v->message_looks = 0;
	if (v->has_help && key != LIVE_KEY_INTERRUPT && key != LIVE_KEY_CLOSED) {
		v->has_help = false;
		return LIVE_WISH_NONE;
	}
	if (v->is_typing && key != LIVE_KEY_CLOSED)
		return type_filter(v, key);
	if (v->has_output && press_output_key(v, key))
		return LIVE_WISH_NONE;
	if (!v->has_output && press_moving_key(v, key))
		return LIVE_WISH_NONE;
	return press_command_key(v, key);
}

void view_free(struct view *v)
{
	look_free(&v->now);
	look_free(&v->before);
	look_free(&v->mark);
	rows_free(&v->rows);
	callers_free(&v->callers);
	output_free(&v->output);
	places_free(&v->places);
}

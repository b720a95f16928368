/* collector_datafiles.c -- which file an image's data go to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/datafiles.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memusage/common/files.h"
#include "tests/lib/tap.h"

static struct settings settings;
static struct datafiles d;

static void begin(const char *pattern, int children)
{
	settings = (struct settings){ .data = pattern, .children = children };
	datafiles_open(&d, &settings);
}

/* Writes one byte as the image's data; gives the name. */
static const char *image(bool is_owner, pid_t pid, unsigned int images, char byte)
{
	static char name[256];
	char *own;
	int fd = datafiles_begin(&d, is_owner, pid, images, &own);

	if (fd < 0 || write(fd, &byte, 1) != 1)
		return "failed";
	close(fd);
	snprintf(name, sizeof(name), "%s", own ? own : "nameless");
	free(own);
	return name;
}

static char content(const char *name)
{
	char byte = '?';
	int fd = open(name, O_RDONLY);

	if (fd < 0)
		return '!';
	if (read(fd, &byte, 1) != 1)
		byte = ' ';
	close(fd);
	return byte;
}

static void plain_name(void)
{
	begin("plain.dat", CHILDREN_LINES);
	IS_TRUE(datafiles_has(&d, true));
	IS_FALSE(datafiles_has(&d, false));
	EQ_S(image(true, 70, 0, 'a'), "plain.dat");
	EQ_S(image(true, 70, 1, 'b'), "plain.dat");
	EQ_S(image(true, 70, 2, 'c'), "plain.dat");
	datafiles_close(&d);
	EQ_I(content("plain.dat"), 'c');
	EQ_I(content("plain.dat.70.1"), 'a');
	EQ_I(content("plain.dat.70.2"), 'b');
}

static void with_children(void)
{
	begin("all.dat", CHILDREN_FILES);
	IS_TRUE(datafiles_has(&d, false));
	EQ_S(image(true, 70, 0, 'a'), "all.dat");
	EQ_S(image(false, 71, 0, 'b'), "all.dat.71");
	EQ_S(image(false, 71, 1, 'c'), "all.dat.71");
	datafiles_close(&d);
	EQ_I(content("all.dat"), 'a');
	EQ_I(content("all.dat.71"), 'c');
	EQ_I(content("all.dat.71.1"), 'b');
}

static void with_pid(void)
{
	begin("each.%p.dat", CHILDREN_LINES);
	IS_TRUE(datafiles_has(&d, false));
	EQ_S(image(true, 70, 0, 'a'), "each.70.dat");
	EQ_S(image(true, 70, 1, 'b'), "each.70.dat");
	EQ_S(image(false, 71, 0, 'c'), "each.71.dat");
	datafiles_close(&d);
	EQ_I(content("each.70.dat"), 'b');
	EQ_I(content("each.70.dat.1"), 'a');
	EQ_I(content("each.71.dat"), 'c');
	IS_TRUE(files_has_pid("%p"));
	IS_FALSE(files_has_pid("%%p"));
	IS_TRUE(files_has_pid("%%%p"));
	IS_FALSE(files_has_pid("%"));
	IS_FALSE(files_has_pid("p%q{P}"));
}

/* What was there stays until there is something new; what we made does not stay empty. */
static void unused(void)
{
	close(open("old.dat", O_WRONLY | O_CREAT, 0644));
	EQ_I(truncate("old.dat", 5), 0);
	begin("old.dat", CHILDREN_LINES);
	datafiles_close(&d);
	EQ_I(content("old.dat"), 0);
	begin("new.dat", CHILDREN_LINES);
	datafiles_close(&d);
	EQ_I(content("new.dat"), '!');
	begin("old.dat", CHILDREN_LINES);
	EQ_S(image(true, 1, 0, 'x'), "old.dat");
	datafiles_close(&d);
	EQ_I(content("old.dat"), 'x');
}

static void temporary(void)
{
	int fd;

	settings = (struct settings){ .png = "x" };
	datafiles_open(&d, &settings);
	IS_TRUE(datafiles_has(&d, true));
	IS_FALSE(datafiles_has(&d, false));
	EQ_S(image(true, 1, 0, 'a'), "nameless");
	EQ_S(image(true, 1, 1, 'b'), "nameless");
	fd = d.fd;
	EQ_I(lseek(fd, 0, SEEK_END), 1);
	datafiles_close(&d);
	settings = (struct settings){ .data = NULL };
	datafiles_open(&d, &settings);
	IS_FALSE(datafiles_has(&d, true));
	datafiles_close(&d);
}

/* The status of datafiles_open() with PATTERN. */
static int status_of(const char *pattern)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		begin(pattern, CHILDREN_LINES);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void refused(void)
{
	setenv("BAD", "a/b", 1);
	setenv("GOOD", "v", 1);
	EQ_I(status_of("no/where"), 1);
	EQ_I(status_of("no/%p"), 1);
	EQ_I(status_of("%q{BAD}"), 1);
	EQ_I(status_of("%q{UNSET_VARIABLE}"), 1);
	EQ_I(status_of("%x"), 1);
	EQ_I(status_of("."), 1);
	EQ_I(status_of("%q{GOOD}.dat"), 0);
	EQ_I(content("v.dat"), ' ');
	EQ_I(symlink("old.dat", "link.dat"), 0);
	EQ_I(status_of("link.dat"), 0);
	if (lchown("link.dat", 65534, 65534) == 0)
		EQ_I(status_of("link.dat"), 1);
	else
		skip("a link of another user cannot be made here");
	EQ_I(status_of("/dev/null"), 0);
}

int main(void)
{
	plain_name();
	with_children();
	with_pid();
	unused();
	temporary();
	refused();
	return done_testing();
}

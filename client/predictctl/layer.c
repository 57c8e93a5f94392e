/* SPDX-License-Identifier: Apache-2.0 */
/* Where the OpenCL layer is, and whether it would be loaded. */
#include "client/predictctl/layer.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAYER_FILE "libpredictd-layer.so"

static const char *layer_find_below(const char *folders)
{
	static char path[PATH_MAX];
	for (const char *at = folders; *at != '\0'; at += *at == ':') {
		size_t length = strcspn(at, ":");
		int size = snprintf(path, sizeof path, "%.*s/" LAYER_FILE, (int)length, at);
		if (length > 0 && size > 0 && (size_t)size < sizeof path && access(path, F_OK) == 0)
			return path;
		at += length;
	}
	return NULL;
}

const char *layer_find(const char **why)
{
	static char text[PATH_MAX];
	const char *folders = getenv("PREDICTD_LAYER_PATH");
	bool is_set = folders != NULL && folders[0] != '\0';
	const char *found = layer_find_below(is_set ? folders : PREDICTD_LAYER_FOLDER);
	(void)snprintf(text, sizeof text, "%s is not in %.3900s%s", LAYER_FILE,
	               is_set ? folders : PREDICTD_LAYER_FOLDER,
	               is_set ? " (PREDICTD_LAYER_PATH)" : "");
	*why = text;
	return found;
}

/* Whether the file has all of the texts. */
static bool file_has(const char *path, const char *const texts[], size_t count)
{
	struct stat about;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t found = 0;
	if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) {
		if (fd >= 0)
			(void)close(fd);
		return false;
	}
	void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	(void)close(fd);
	if (bytes == MAP_FAILED)
		return false;
	for (size_t i = 0; i < count; i++)
		found += memmem(bytes, (size_t)about.st_size, texts[i], strlen(texts[i])) != NULL;
	(void)munmap(bytes, (size_t)about.st_size);
	return found == count;
}

const char *layer_fault(const char *path)
{
	static const char *const entries[] = {"clGetLayerInfo", "clInitLayer"};
	static char text[64];
	if (access(path, R_OK) != 0) {
		(void)snprintf(text, sizeof text, "%s", strerror(errno));
		return text;
	}
	if (strchr(path, ':') != NULL)
		return "a colon in its path parts it in two";
	if (!file_has(path, entries, 2))
		return "it has no clGetLayerInfo and clInitLayer: it is no OpenCL layer";
	return NULL;
}

enum layer_loader layer_loader(char path[PATH_MAX])
{
	static const char *const variable[] = {"OPENCL_LAYERS"};
	path[0] = '\0';
	void *loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
	struct link_map *map = NULL;
	if (loader == NULL)
		return LOADER_NONE;
	if (dlinfo(loader, RTLD_DI_LINKMAP, &map) == 0 && map != NULL)
		(void)snprintf(path, PATH_MAX, "%s", map->l_name);
	(void)dlclose(loader);
	return file_has(path, variable, 1) ? LOADER_WITH_LAYERS : LOADER_WITHOUT_LAYERS;
}

/* Whether it is an ELF program without a dynamic linker; of a script nothing is known. */
static bool is_static(const char *path)
{
	Elf64_Ehdr head;
	bool is_program = false, has_linker = false;
	FILE *file = fopen(path, "rbe");
	if (file == NULL)
		return false;
	if (fread(&head, sizeof head, 1, file) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
	    head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize == sizeof(Elf64_Phdr) &&
	    head.e_phoff <= LONG_MAX && fseek(file, (long)head.e_phoff, SEEK_SET) == 0) {
		Elf64_Phdr part;
		for (unsigned i = 0; i < head.e_phnum && fread(&part, sizeof part, 1, file) == 1;
		     i++) {
			is_program = true;
			has_linker |= part.p_type == PT_INTERP;
		}
	}
	(void)fclose(file);
	return is_program && !has_linker;
}

const char *layer_program_fault(const char *path)
{
	struct stat about;
	if (stat(path, &about) != 0)
		return NULL;
	if ((about.st_mode & (S_ISUID | S_ISGID)) != 0 && geteuid() != about.st_uid)
		return "it is setuid or setgid, and such a program takes no layers";
	if (is_static(path))
		return "it is linked statically, and its OpenCL loader with it";
	return NULL;
}

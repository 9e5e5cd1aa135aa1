/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/callgraph.h>

#include <exectrace/answer/format/text.h>
#include <exectrace/base/grow.h>

#define NO_SOURCE "???" /* as callgrind has it */

static int keep_text(struct callgraph *g, struct data_text text, uint64_t *at)
{
	int rc;

	*at = g->texts.len;
	rc = text.n ? text_append(&g->texts, text, '\0') : buf_putc(&g->texts, '?');
	return rc ? rc : buf_putc(&g->texts, '\0');
}

static int add_node(struct callgraph *g, struct data_text name, struct data_text file)
{
	struct callgraph_node node = {0};
	int rc = grow_array((void **)&g->nodes, g->n, &g->cap, sizeof(*g->nodes));

	if (!rc)
		rc = keep_text(g, name, &node.name);
	if (!rc)
		rc = keep_text(g, file, &node.file);
	if (!rc)
		g->nodes[g->n++] = node;
	return rc;
}

int callgraph_node(struct callgraph *g, struct data_text name, struct data_text file, uint32_t *node)
{
	uint64_t *place = NULL;
	int rc;

	g->key.len = 0;
	rc = buf_append(&g->key, name.bytes, name.n);
	if (!rc)
		rc = buf_putc(&g->key, '\0');
	if (!rc)
		rc = buf_append(&g->key, file.bytes, file.n);
	if (!rc)
		rc = byte_map_find(&g->known, g->key.data, g->key.len, &place);
	if (!rc && !*place) {
		rc = add_node(g, name, file);
		*place = rc ? 0 : g->n;
	}
	if (!rc)
		*node = (uint32_t)*place - 1;
	return rc;
}

void callgraph_self(struct callgraph *g, uint32_t node, uint64_t cost)
{
	g->nodes[node].self += cost;
}

int callgraph_calls(struct callgraph *g, const uint32_t nodes[2], uint64_t calls, uint64_t cost)
{
	struct callgraph_edge *edge;
	uint64_t *place = NULL;
	int rc = byte_map_find(&g->pairs, nodes, 2 * sizeof(*nodes), &place);

	if (!rc && !*place) {
		rc = grow_array((void **)&g->edges, g->n_edges, &g->cap_edges, sizeof(*g->edges));
		if (rc)
			return rc;
		g->edges[g->n_edges++] = (struct callgraph_edge){.to = nodes[1], .next = g->nodes[nodes[0]].edges};
		*place = g->n_edges;
		g->nodes[nodes[0]].edges = (uint32_t)g->n_edges;
	}
	if (rc)
		return rc;
	edge = &g->edges[*place - 1];
	edge->calls += calls;
	edge->cost += cost;
	return 0;
}

/* --- The file ------------------------------------------------------------------------------------------------------
 */

static const char *text_at(const struct callgraph *g, uint64_t at)
{
	return g->texts.data + at;
}

static unsigned long long scaled(uint64_t cost, double scale)
{
	return scale == 1 ? cost : (unsigned long long)((double)cost * scale);
}

static int put_edges(const struct callgraph *g, struct buf *out, const struct callgraph_node *node, double scale)
{
	int rc = 0;

	for (uint32_t i = node->edges; i && !rc; i = g->edges[i - 1].next) {
		const struct callgraph_edge *edge = &g->edges[i - 1];

		rc = buf_printf(out, "cob=%s\ncfi=" NO_SOURCE "\ncfn=(%u) %s\ncalls=%llu 0\n0 %llu\n",
		                text_at(g, g->nodes[edge->to].file), edge->to + 1, text_at(g, g->nodes[edge->to].name),
		                (unsigned long long)edge->calls, scaled(edge->cost, scale));
	}
	return rc;
}

int callgraph_print(const struct callgraph *g, struct spool *out, const char *unit, double scale)
{
	uint64_t total = 0;
	int rc = buf_printf(&out->text,
	                    "# callgrind format\nversion: 1\ncreator: exectrace " EXECTRACE_VERSION
	                    "\ncmd: exectrace\npositions: line\nevents: %s\n",
	                    unit);

	for (size_t i = 0; i < g->n; i++)
		total += scaled(g->nodes[i].self, scale);
	if (!rc)
		rc = buf_printf(&out->text, "summary: %llu\n", (unsigned long long)total);
	for (size_t i = 0; i < g->n && !rc; i++) {
		rc = buf_printf(&out->text, "\nob=%s\nfl=" NO_SOURCE "\nfn=(%zu) %s\n0 %llu\n",
		                text_at(g, g->nodes[i].file), i + 1, text_at(g, g->nodes[i].name),
		                scaled(g->nodes[i].self, scale));
		if (!rc)
			rc = put_edges(g, &out->text, &g->nodes[i], scale);
		if (!rc)
			rc = spool_drain(out);
	}
	return rc ? rc : buf_printf(&out->text, "\ntotals: %llu\n", (unsigned long long)total);
}

void callgraph_release(struct callgraph *g)
{
	byte_map_release(&g->known);
	byte_map_release(&g->pairs);
	free(g->nodes);
	free(g->edges);
	buf_release(&g->texts);
	buf_release(&g->key);
}

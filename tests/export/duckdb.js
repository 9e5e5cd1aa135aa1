// SPDX-License-Identifier: GPL-2.0-or-later
// duckdb.js DATABASE TABLE QUERY: makes the table if it is not there, asks, and prints a line a row, with blanks between cells.
const { DuckDBInstance } = require(`${process.env.NODE_MODULES}/@duckdb/node-api`);

const [path, table, query] = process.argv.slice(2);

function cell(value) {
	return value === null ? 'NULL' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

async function main() {
	const connection = await (await DuckDBInstance.create(path)).connect();
	if (table)
		await connection.run(table.replace(/^CREATE TABLE/, 'CREATE TABLE IF NOT EXISTS'));
	const answer = await connection.runAndReadAll(query);
	for (const row of answer.getRowsJson())
		console.log(row.map(cell).join(' '));
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});

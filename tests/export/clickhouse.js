// SPDX-License-Identifier: GPL-2.0-or-later
// clickhouse.js DIRECTORY TABLE QUERY: likewise, by ClickHouse's engine as a library (chdb).
const { Session } = require(`${process.env.NODE_MODULES}/chdb`);

const [path, table, query] = process.argv.slice(2);
const session = new Session(path);

function cell(value) {
	return value === null ? 'NULL' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

try {
	session.query('CREATE DATABASE IF NOT EXISTS tests ENGINE = Atomic');
	if (table)
		session.query(table.replace(/^CREATE TABLE events/, 'CREATE TABLE IF NOT EXISTS tests.events'));
	const answer = session.query(query.replace(/\bevents\b/g, 'tests.events'), 'JSONCompactEachRow');
	for (const line of answer.split('\n').filter((text) => text))
		console.log(JSON.parse(line).map(cell).join(' '));
} catch (error) {
	console.error(error.message);
	process.exit(1);
}

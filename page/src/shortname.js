// shortname.js -- Names of functions that fit on a line, by the rule of profile/model/shortname.c.
//
// SPDX-License-Identifier: LGPL-2.1-or-later

const ANONYMOUS = '(anonymous namespace)';
const OPERATORS = ['()', '[]', '<=>', '<<=', '>>=', '<<', '>>', '<=', '>=', '->*', '->', '<', '>'];
const isWord = (c) => /^[\w]$/.test(c || '');

// Returns the position behind the bracket that closes the one at AT, or the end.
function skipBrackets(text, at) {
	for (let depth = 0; at < text.length; at++) {
		if (text.startsWith('->', at))
			at++;
		else if ('<({['.includes(text[at]))
			depth++;
		else if ('>)}]'.includes(text[at]) && --depth === 0)
			return at + 1;
	}
	return at;
}

// The name is read once, from left to right, outside of brackets.
class Reader {
	constructor(name) {
		this.name = name;
		this.at = 0;
		this.out = '';
		this.isOperator = false; // a blank belongs to the name: "operator new"
	}

	sees(text) {
		return this.name.startsWith(text, this.at);
	}

	// "operator<<" and the like, whose marks are no brackets.
	readOperator() {
		this.out += 'operator';
		this.at += 8;
		const mark = OPERATORS.find((m) => this.sees(m));
		this.isOperator ||= !mark;
		if (!mark)
			return;
		this.out += mark;
		this.at += mark.length;
		// Template arguments of such an operator come behind a blank.
		if (this.sees(' <'))
			this.at = skipBrackets(this.name, this.at + 1);
	}

	// Parameters end a name, unless it goes on with what is local to the function.
	readParentheses() {
		let end = skipBrackets(this.name, this.at);
		if (this.sees(ANONYMOUS)) {
			this.out += ANONYMOUS;
			this.at = end;
			return;
		}
		// A method of Go: "runtime.(*mheap).init"
		if (this.out.endsWith('.') && this.sees('(*')) {
			this.out += this.name.slice(this.at, end);
			this.at = end;
			return;
		}
		if (this.name.startsWith(' const', end))
			end += 6;
		this.at = this.name.startsWith('::', end) ? end : this.name.length;
	}

	// Rust's <TYPE as TRAIT>::method is the method of the type; elsewhere these are arguments.
	readAngleBrackets() {
		const end = skipBrackets(this.name, this.at);
		if (this.out) {
			this.out += '<>';
			this.at = end;
			return;
		}
		this.out += '<';
		for (this.at++; this.at < end - 1 && !this.sees(' as '); ) {
			if (this.sees('<')) {
				this.out += '<>';
				this.at = skipBrackets(this.name, this.at);
			} else {
				this.out += this.name[this.at++];
			}
		}
		this.out += '>';
		this.at = end;
	}

	// "{lambda(int)#1}", "{closure#0}"
	readBraces() {
		const end = skipBrackets(this.name, this.at);
		while (this.at < end) {
			if (this.sees('('))
				this.at = skipBrackets(this.name, this.at);
			else
				this.out += this.name[this.at++];
		}
	}

	read() {
		const { name } = this;
		while (this.at < name.length) {
			if (!isWord(name[this.at - 1]) && this.sees('operator') &&
				!isWord(name[this.at + 8]))
				this.readOperator();
			else if (this.sees('('))
				this.readParentheses();
			else if (this.sees('<'))
				this.readAngleBrackets();
			else if (this.sees('{'))
				this.readBraces();
			else {
				// The text before a blank was a type.
				this.out = this.sees(' ') && !this.isOperator ? ''
					: this.out + name[this.at];
				this.at++;
			}
		}
		return this.out || name;
	}
}

// Returns a demangled name without return type, parameters and template arguments. A name of C,
// Python, "py::<module>:a.py", or V8 stays as it is.
export function shortName(name) {
	return !/^(py::|JS:)/.test(name) && ((/[(<{]/.test(name) && name[0] !== '(') ||
		name.startsWith(ANONYMOUS)) ? new Reader(name).read() : name;
}

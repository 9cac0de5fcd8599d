package datafile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads the text of a data file. It goes through it once; its methods
// expect no space before what they read unless they say so.
type scanner struct {
	name string
	text []byte
	pos  int

	// The line of text[counted], and where that line starts.
	line, lineStart, counted int
}

// place returns line and column of text[pos]. Places are asked for in ascending order but for
// those within a value, so counting newlines is linear in all.
func (s *scanner) place(pos int) (line, col int) {
	switch {
	case pos >= s.counted:
		between := s.text[s.counted:pos]
		if n := bytes.Count(between, []byte{'\n'}); n > 0 {
			s.line += n
			s.lineStart = s.counted + bytes.LastIndexByte(between, '\n') + 1
		}
		s.counted = pos
	case pos < s.lineStart: // on an earlier line of the value
		line = s.line - bytes.Count(s.text[pos:s.lineStart], []byte{'\n'})
		return line, pos - bytes.LastIndexByte(s.text[:pos], '\n')
	}
	return s.line, pos - s.lineStart + 1
}

// failure returns an error at text[pos].
func (s *scanner) failure(pos int, remedy, format string, args ...any) *Error {
	line, col := s.place(pos)
	return &Error{s.name, line, col, fmt.Sprintf(format, args...), remedy}
}

// fail is failure as an error: of one after which the rest cannot be read.
func (s *scanner) fail(pos int, remedy, format string, args ...any) error {
	return s.failure(pos, remedy, format, args...)
}

// unexpected returns the error that what comes next is not what was expected.
func (s *scanner) unexpected(expected, remedy string) error {
	if s.pos < len(s.text) && s.text[s.pos] == '/' {
		remedy = "JSON has no comments"
	}
	return s.fail(s.pos, remedy, "expected %s, found %s", expected, s.next())
}

// next describes what comes next.
func (s *scanner) next() string {
	rest := s.text[s.pos:]
	if len(rest) == 0 {
		return "the end of the file"
	}
	n := 0
	for n < len(rest) && isWord(rest[n]) {
		n++
	}
	const shown = 24
	switch {
	case n > shown:
		return string(rest[:shown]) + "…"
	case n > 0:
		return string(rest[:n])
	}
	r, size := utf8.DecodeRune(rest)
	if r == utf8.RuneError && size <= 1 {
		return fmt.Sprintf("the byte %#x", rest[0])
	}
	return strconv.QuoteRune(r)
}

// isWord reports whether c may be part of a word or a number.
func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		c == '+' || c == '-' || c == '.' || c == '_'
}

// space skips white space and returns the byte after it, 0 at the end.
func (s *scanner) space() byte {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// object reads the whole file.
func (s *scanner) object() (*Set, error) {
	s.text = bytes.TrimPrefix(s.text, []byte("\ufeff"))
	set := &Set{name: s.name, text: s.text, index: make(map[string]int)}
	if s.space() != '{' {
		if s.pos == len(s.text) {
			return nil, s.fail(s.pos, "write {} if there are no data", "the file is empty")
		}
		return nil, s.unexpected("'{'", `data are one JSON object in UTF-8: {"name": value, …}`)
	}
	s.pos++
	for more := s.space() != '}'; more; {
		if err := s.field(set); err != nil {
			return nil, err
		}
		switch s.space() {
		case '}':
			more = false
		case ',':
			s.pos++
			if s.space() == '}' {
				return nil, s.unexpected("a name in quotes", "leave out the comma before '}'")
			}
		default:
			return nil, s.unexpected("',' or '}'", "fields are separated by commas")
		}
	}
	s.pos++
	s.space()
	if s.pos < len(s.text) {
		return nil, s.unexpected("the end of the file", "data are one JSON object")
	}
	return set, nil
}

// field reads a name and its value into set.
func (s *scanner) field(set *Set) error {
	if s.space() != '"' {
		return s.unexpected("a name in quotes", `a field is written "name": value`)
	}
	start := s.pos
	name, err := s.quoted()
	if err != nil {
		return err
	}
	first, twice := set.index[name]
	if twice {
		v := &set.variables[first]
		v.fault(s.failure(start, "give each variable once", "the variable %s is given twice, first on line %d", name, v.line))
		v.broken, v.dims, v.values = true, nil, nil
	}
	if s.space() != ':' {
		return s.unexpected("':'", `a field is written "name": value`)
	}
	s.pos++
	s.space()
	v := variable{name: name, start: s.pos}
	v.line, v.col = s.place(s.pos)
	if err := s.value(&v); err != nil {
		return err
	}
	if v.broken {
		v.dims, v.values = nil, nil
	}
	if twice {
		return nil
	}
	set.index[name] = len(set.variables)
	set.variables = append(set.variables, v)
	return nil
}

// value reads a number or an array of any depth into v. It keeps one counter
// for each open bracket instead of calling itself. An array is rectangular if
// arrays of the same depth have equal lengths and all numbers are at the
// greatest depth. JSON that is no such value is a fault of v; the error is for what
// is no JSON.
func (s *scanner) value(v *variable) error {
	var (
		dims    [maxDims]int // lengths of the arrays by depth; −1 before one is complete
		count   [maxDims]int // of the elements so far of the open array by depth
		start   [maxDims]int // where that array starts
		depth   int          // of open brackets
		deepest int          // depth there has been
		numbers bool         // there has been a number, at the deepest depth
	)
	for {
		c := s.space()
		open := c == '['
		switch {
		case open && numbers && depth == deepest:
			return s.unreadable(v, s.failure(s.pos, "all elements must have the same shape",
				"%s is not rectangular: expected a number, found an array", v.name))
		case open && depth == maxDims:
			return s.unreadable(v, s.failure(s.pos, "this is probably a bracket too many", "%s has more than %d dimensions", v.name, maxDims))
		case open:
			start[depth], count[depth] = s.pos, 0
			if depth == deepest {
				dims[depth] = -1
				deepest++
			}
			depth++
			s.pos++
			if s.space() != ']' {
				continue
			}
		case depth < deepest:
			return s.unreadable(v, s.failure(s.pos, "all elements must have the same shape",
				"%s is not rectangular: expected an array, found %s", v.name, s.next()))
		default:
			if err := s.number(v, c); err != nil {
				return err
			}
			numbers = true
			if depth == 0 {
				return nil
			}
			count[depth-1]++
		}

		// An element, or the '[' of an empty array, has just been read.
		for closed := true; closed; {
			closed = false
			switch s.space() {
			case ']':
				depth--
				if n := count[depth]; dims[depth] < 0 {
					dims[depth] = n
				} else if dims[depth] != n {
					return s.unreadable(v, s.failure(start[depth], "all elements must have the same shape",
						"%s is not rectangular: this array has length %d, the ones before %d",
						v.name, n, dims[depth]))
				}
				s.pos++
				if depth == 0 {
					v.dims = append(v.dims, dims[:deepest]...)
					return nil
				}
				count[depth-1]++
				closed = true
			case ',':
				s.pos++
				if s.space() == ']' {
					return s.unexpected("a number or '['", "leave out the comma before ']'")
				}
			default:
				return s.unexpected("',' or ']'", "numbers are separated by commas")
			}
		}
	}
}

// unreadable gives v a fault after which its shape is not known, and passes over the rest
// of its value.
func (s *scanner) unreadable(v *variable, e *Error) error {
	v.fault(e)
	v.broken = true
	s.pos = v.start
	if s.skip() != nil {
		return e
	}
	return nil
}

// skip passes over one value of JSON, whatever it holds.
func (s *scanner) skip() error {
	var open []byte // the brackets that shut what is open
	for {
		switch c := s.space(); c {
		case '[', '{':
			open = append(open, c+2) // as ASCII has it
			s.pos++
		case ']', '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return s.unexpected("a value", "close every bracket that is open")
			}
			open = open[:len(open)-1]
			s.pos++
		case ',', ':':
			if len(open) == 0 {
				return s.unexpected("a value", numberForms)
			}
			s.pos++
			continue
		case '"':
			if _, err := s.quoted(); err != nil {
				return err
			}
		default:
			start := s.pos
			for s.pos < len(s.text) && isWord(s.text[s.pos]) {
				s.pos++
			}
			if s.pos == start {
				return s.unexpected("a value", "close every bracket that is open")
			}
		}
		if len(open) == 0 {
			return nil
		}
	}
}

// number reads a number, of which c is the first byte, and appends it to v. What is another value
// of JSON, or a word, is a fault of v.
func (s *scanner) number(v *variable, c byte) error {
	start := s.pos
	switch c {
	case '"':
		return s.quotedNumber(v)
	case '{':
		v.hole(s.failure(start, "give each field of the object as a variable of its own", "expected a number or an array, found '{'"))
		return s.skip()
	case '\'':
		return s.unexpected("a number", "JSON has double quotes only")
	}
	for s.pos < len(s.text) && isWord(s.text[s.pos]) {
		s.pos++
	}
	word := s.text[start:s.pos]
	if x, ok := smallInt(word); ok {
		v.values = append(v.values, x)
		return nil
	}
	integer, remedy := checkNumber(word)
	if remedy != "" {
		if x, ok := nonFinite(word); ok {
			v.addReal(s, start, word, x)
			return nil
		}
		s.pos = start
		if len(word) == 0 {
			return s.unexpected("a number", remedy)
		}
		v.hole(s.failure(start, remedy, "expected a number, found %s", s.next()))
		s.pos = start + len(word)
		return nil
	}
	x, err := strconv.ParseFloat(string(word), 64)
	if err != nil {
		s.pos = start
		v.hole(s.failure(start, "measure it in another unit", "the number %s is beyond the largest, 1.8e308", s.next()))
		s.pos = start + len(word)
		return nil
	}
	if (integer || x == math.Trunc(x) && isWhole(word)) && -maxExact <= x && x <= maxExact { // Python writes 1.0 for a count that went through floats
		v.values = append(v.values, x)
	} else {
		v.addReal(s, start, word, x)
	}
	return nil
}

// addReal appends x, which is not an exact integer, to the values of v.
func (v *variable) addReal(s *scanner, pos int, word []byte, x float64) {
	if v.real == "" {
		v.real = string(word)
		v.realLine, v.realAt = s.place(pos)
	}
	v.values = append(v.values, x)
}

// smallInt returns the value of a JSON integer of up to 15 digits: such
// numbers are frequent in data and need no rounding.
func smallInt(word []byte) (x float64, ok bool) {
	whole := word
	if len(word) > 0 && word[0] == '-' {
		whole = word[1:]
	}
	n := len(whole)
	if n == 0 || n > 15 || whole[0] == '0' && n > 1 {
		return 0, false
	}
	for _, d := range whole {
		if d < '0' || d > '9' {
			return 0, false
		}
		x = float64(10*x) + float64(d-'0')
	}
	if n < len(word) {
		x = -x
	}
	return x, true
}

// isWhole reports whether a JSON number with a point or an exponent is a whole number as it is written: 1.0 and 3e0 are, and 1.0000000000000000001, whose
// nearest float64 is 1, is not.
func isWhole(word []byte) bool {
	digits, exponent, _ := bytes.Cut(bytes.ToLower(word), []byte("e"))
	before, behind, _ := bytes.Cut(digits, []byte("."))
	zeros := func(text []byte) bool { return len(bytes.Trim(text, "-0")) == 0 }
	if zeros(before) && zeros(behind) {
		return true
	}
	shift := 0
	if len(exponent) > 0 {
		var err error
		if shift, err = strconv.Atoi(string(exponent)); err != nil {
			return false
		}
	}
	switch {
	case shift >= len(behind):
		return true
	case shift >= 0:
		return zeros(behind[shift:])
	case -shift >= len(before): // all digits are behind the point, and one is not 0
		return false
	}
	return zeros(behind) && zeros(before[len(before)+shift:])
}

// nonFinite returns the value of a word for NaN or an infinity.
func nonFinite(word []byte) (x float64, ok bool) {
	switch string(word) {
	case "NaN", "Infinity", "-Infinity", "+Infinity", "Inf", "-Inf", "+Inf", "inf", "-inf", "+inf":
		x, err := strconv.ParseFloat(string(word), 64)
		return x, err == nil
	}
	return 0, false
}

const numberForms = "numbers look like 12, -0.5, 1.2e-3"

// missing is the remedy for what stands for a value that is missing.
const missing = "there are no missing values: leave it out, or declare it as a parameter of the model"

// checkNumber tells whether a JSON number is an integer. It returns a remedy
// if word is not a JSON number at all.
func checkNumber(word []byte) (integer bool, remedy string) {
	whole := word
	if len(word) > 0 && word[0] == '-' {
		whole = word[1:]
	}
	n := digits(whole)
	rest := whole[n:]
	switch {
	case n > 1 && whole[0] == '0':
		return false, "leave out the leading zeros"
	case n == 0:
		switch {
		case string(word) == "true" || string(word) == "false":
			return false, "write 1 for true and 0 for false"
		case string(word) == "null" || string(word) == "NA" || string(word) == "nan" || string(word) == "None" || string(word) == "NULL":
			return false, missing
		case len(rest) > 0 && rest[0] == '.':
			return false, "write a digit before the point"
		case len(rest) > 0 && rest[0] == '+':
			return false, "leave out the plus sign"
		}
		return false, numberForms
	case len(rest) == 0:
		return true, ""
	}
	if rest[0] == '.' {
		n := digits(rest[1:])
		if n == 0 {
			return false, "write a digit after the point"
		}
		rest = rest[1+n:]
	}
	if len(rest) > 0 && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		n := digits(rest)
		if n == 0 {
			return false, "write a digit after the e"
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return false, numberForms
	}
	return false, ""
}

// digits returns the number of digits that text begins with.
func digits(text []byte) int {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// quotedNumber reads NaN or an infinity in quotes and appends it to v.
func (s *scanner) quotedNumber(v *variable) error {
	start := s.pos
	text, err := s.quoted()
	if err != nil {
		return err
	}
	x, ok := nonFinite([]byte(text))
	if !ok {
		remedy := "data are numbers: number the groups from 1"
		switch _, err := strconv.ParseFloat(text, 64); {
		case text == "NA" || text == "" || text == ".":
			remedy = missing
		case err == nil:
			remedy = "leave out the quotes"
		}
		v.hole(s.failure(start, remedy, "expected a number, found the text %.40q", text))
		return nil
	}
	v.addReal(s, start, s.text[start:s.pos], x)
	return nil
}

// quoted reads a JSON string, of which the first quote comes next.
func (s *scanner) quoted() (string, error) {
	start := s.pos
	s.pos++
	plain := s.pos // the start of what is not yet in decoded
	var decoded []byte
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"':
			decoded = append(decoded, s.text[plain:s.pos]...)
			s.pos++
			if !utf8.Valid(decoded) {
				return "", s.fail(start, "save the file as UTF-8", "a text that is not UTF-8")
			}
			return string(decoded), nil
		case c == '\\':
			decoded = append(decoded, s.text[plain:s.pos]...)
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			decoded = utf8.AppendRune(decoded, r)
			plain = s.pos
		case c < ' ':
			return "", s.fail(s.pos, "close the quotes before the line ends", "the control character %#02x in a text", c)
		default:
			s.pos++
		}
	}
	return "", s.fail(start, `add a '"'`, "a text that does not end")
}

// escape reads a backslash and what belongs to it.
func (s *scanner) escape() (rune, error) {
	const plain, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	rest := s.text[s.pos:]
	if len(rest) > 1 {
		if i := strings.IndexByte(plain, rest[1]); i >= 0 {
			s.pos += 2
			return rune(meaning[i]), nil
		}
	}
	r, ok := hex(rest)
	if !ok {
		return 0, s.fail(s.pos, `write \\ for a backslash`, "an escape that JSON does not have")
	}
	s.pos += 6
	if utf16.IsSurrogate(r) {
		if low, ok := hex(rest[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				s.pos += 6
				return pair, nil
			}
		}
		return utf8.RuneError, nil // as encoding/json does for half a pair
	}
	return r, nil
}

// hex returns the value of \uXXXX at the start of text.
func hex(text []byte) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	x, err := strconv.ParseUint(string(text[2:6]), 16, 32)
	return rune(x), err == nil
}

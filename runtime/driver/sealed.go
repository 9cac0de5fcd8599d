package driver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// A sealed file is an object of JSON that carries its own checksum: its last member, "sha256", is
// the SHA-256 of the file with zeros in place of these digits. Whatever changes in the file, blanks
// too, shows.

// unsealed is the checksum of a value that is to be sealed.
var unsealed = strings.Repeat("0", 2*sha256.Size)

// sealEnd is what follows the checksum.
const sealEnd = "\"\n}\n"

// seal returns the text of a value whose last member is a checksum, which is unsealed.
func seal(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	at := len(text) - len(sealEnd) - len(unsealed)
	if at < 0 || string(text[at:]) != unsealed+sealEnd {
		return nil, fmt.Errorf("%T does not end with a place for its checksum", v)
	}
	sum := sha256.Sum256(text)
	hex.Encode(text[at:], sum[:])
	return text, nil
}

// unseal reads a sealed text into v. It returns an error if the text is not what was sealed.
func unseal(text []byte, v any) error {
	at := len(text) - len(sealEnd) - len(unsealed)
	if at < 0 || string(text[at+len(unsealed):]) != sealEnd {
		return fmt.Errorf("it does not end with its checksum")
	}
	blank := bytes.Clone(text)
	copy(blank[at:], unsealed)
	if sum := sha256.Sum256(blank); hex.EncodeToString(sum[:]) != string(text[at:at+len(unsealed)]) {
		return fmt.Errorf("its checksum differs")
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	return in.Decode(v)
}

extension StringProtocol {
    /// The text with `%41` read as `A`. What is no such escape stays; what is no UTF-8 is replaced.
    var percentDecoded: String {
        let source = Array(utf8)
        var bytes: [UInt8] = []
        var offset = 0
        while offset < source.count {
            let digits = source[offset...].dropFirst().prefix(2)
            if source[offset] == UInt8(ascii: "%"), digits.count == 2, !digits.contains(UInt8(ascii: "+")),
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                offset += 3
            } else {
                bytes.append(source[offset])
                offset += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import HTTPTypes

@testable import CofferdamCurl

/// Checks the parser of a reply's head: its size is bounded, interim heads are left out, and a parsed head can be
/// written and parsed again.
enum HeadCheck {
    private static let maximumSize = 400

    static func run(_ input: [UInt8]) {
        let (head, error) = parse(input)
        require(input.count <= maximumSize || head != nil || error != nil, "a head over the bound is refused")
        require(error == nil || error == .tooLarge || error == .protocol, "the error is of the reply")
        guard let head else { return }
        require((100...999).contains(head.status.code), "the status has three digits")
        let size = head.headerFields.reduce(head.status.reasonPhrase.utf8.count) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
        }
        // A byte that is not UTF-8 becomes three.
        require(size <= 3 * min(input.count, maximumSize), "a head is no larger than what was sent")
        for field in head.headerFields {
            require(!field.value.utf8.contains { [0, 10, 13].contains($0) }, "a value cannot end its line")
        }

        let interim = Array("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n".utf8)
        if input.starts(with: "HTTP/".utf8) {
            let later = parse(interim + input, maximumSize: maximumSize + interim.count)
            require(later.head == head, "an interim head is left out")
        }
        let again = parse(written(head), maximumSize: .max)
        require(again.head == head && again.error == nil, "a head that is written is read again")
    }

    private static func parse(
        _ input: [UInt8],
        maximumSize: Int = maximumSize
    ) -> (head: HTTPResponse?, error: CurlError.Code?) {
        let parser = HeadParser(maximumSize: maximumSize)
        do throws(CurlError) {
            for line in lines(of: input) {
                _ = try Array(line).withUnsafeBufferPointer { bytes throws(CurlError) in
                    try parser.take(UnsafeRawBufferPointer(bytes))
                }
            }
            return (parser.head, nil)
        } catch {
            return (parser.head, error.code)
        }
    }

    /// Returns the lines as libcurl passes them: each with its end.
    private static func lines(of input: [UInt8]) -> [ArraySlice<UInt8>] {
        input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.endIndex < input.endIndex ? input[$0.startIndex...$0.endIndex] : $0 }
            .filter { !$0.isEmpty }
    }

    private static func written(_ head: HTTPResponse) -> [UInt8] {
        var text = "HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n"
        for field in head.headerFields { text += "\(field.name.rawName): \(field.value)\r\n" }
        return Array("\(text)\r\n".utf8)
    }
}

#if Curl
import CofferdamCurl
import Testing

struct ServerSentEventParserTests {
    static let streams: [(name: String, text: String, events: [ServerSentEvent])] = [
        ("nothing", "", []),
        ("one", "data: a\n\n", [.init(data: "a")]),
        ("a data line without a space", "data:a\n\n", [.init(data: "a")]),
        ("one space only is taken away", "data:  a \n\n", [.init(data: " a ")]),
        ("several data lines", "data: a\ndata\ndata: b\n\n", [.init(data: "a\n\nb")]),
        ("empty data", "data\n\n", [.init(data: "")]),
        ("a carriage return", "data: a\r\rdata: b\r\r", [.init(data: "a"), .init(data: "b")]),
        ("both", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", [.init(data: "a\nb"), .init(data: "c")]),
        ("mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", [.init(data: "a"), .init(data: "b"), .init(data: "c")]),
        ("comments", ": x\ndata: a\n:\n: y: z\n\n", [.init(data: "a")]),
        ("fields of no meaning", "foo: x\ndata: a\nDATA: b\n data: c\n\n", [.init(data: "a")]),
        ("a type", "event: born\ndata: a\n\ndata: b\n\n", [.init(event: "born", data: "a"), .init(data: "b")]),
        ("a type without data is no event", "event: born\n\ndata: b\n\n", [.init(data: "b")]),
        (
            "an id stays", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            [.init(data: "a", id: "7"), .init(data: "b", id: "7"), .init(data: "c")]
        ),
        ("an id with a NUL is none", "id: 7\nid: \u{0}8\ndata: a\n\n", [.init(data: "a", id: "7")]),
        ("an id without data", "id: 7\n\ndata: a\n\n", [.init(data: "a", id: "7")]),
        (
            "a time to wait", "retry: 1500\ndata: a\n\nretry: x1\ndata: b\n\nretry: -1\ndata: c\n\n",
            [.init(data: "a", retry: .milliseconds(1500)), .init(data: "b"), .init(data: "c")]
        ),
        (
            "a time to wait that is too long for a number", "retry: 99999999999999999999999\ndata: a\n\n",
            [.init(data: "a")]
        ),
        ("a byte order mark", "\u{FEFF}data: a\n\ndata: \u{FEFF}\n\n", [.init(data: "a"), .init(data: "\u{FEFF}")]),
        ("text beyond ASCII", "data: 🦒 é\n\n", [.init(data: "🦒 é")]),
        ("cut off", "data: a\n\ndata: b\n", [.init(data: "a")]),
    ]

    @Test(arguments: streams.indices)
    func `Reads the stream, split at every position and at all of them`(index: Int) throws {
        let (name, text, events) = Self.streams[index]
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var parser = ServerSentEventParser()
            let found = try parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...])
            #expect(found == events, "\(name), cut at \(cut)")
        }
        var parser = ServerSentEventParser()
        let found = try bytes.flatMap { try parser.feed([$0]) }
        #expect(found == events, "\(name), byte by byte")
    }

    @Test(arguments: ["data: \(String(repeating: "x", count: 200))", String(repeating: "data: x\n", count: 200)])
    func `An endless event is refused`(text: String) throws {
        var parser = ServerSentEventParser(maximumEventSize: 100)
        let error = try #require(throws: CurlError.self) { try parser.feed(Array(text.utf8)) }
        #expect(error.code == .tooLarge)
    }
}
#endif

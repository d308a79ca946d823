#if Sandbox
import Testing

@testable import MenagerieV2

@Suite struct DecodingTests {
    @Test(
        "GET-04: an error of decoding says where",
        arguments: [
            (#"{"items": [{"id": "a", "localizedName": "b", "kind": "fish"}]}"#, "items[0].name"),
            (#"{"items": [{"id": 1, "name": "a", "localizedName": "b", "kind": "fish"}]}"#, "items[0].id"),
            (#"{"items": [{"id": null, "name": "a", "localizedName": "b", "kind": "fish"}]}"#, "items[0].id"),
            (#"{"items": {}}"#, "items"), ("{}", "items"), ("<html>", ""), ("", ""), ("[]", ""),
        ]
    )
    func paths(payload: String, path: String) async {
        let error = await #expect(throws: MenagerieError.self) {
            try await decode(Page<Animal>.self, from: Array(payload.utf8))
        }
        guard case .decoding(let found, _) = error else {
            Issue.record("not a decoding error: \(String(describing: error))")
            return
        }
        #expect(found == path)
    }

    @Test("GET-03: unknown fields are ignored, and absent counts are nil")
    func unknownFields() async throws {
        let payload =
            #"{"items": [{"id": "A", "name": "a", "localizedName": "b", "kind": "x", "new": 1}], "nextCursor": ""}"#
        let page = try await decode(Page<Animal>.self, from: Array(payload.utf8))
        #expect(page.items == [Animal(id: "A", name: "a", localizedName: "b", kind: AnimalKind(rawValue: "x"))])
        #expect(page.nextCursor == "")
    }

    @Test("An address keeps whatever stands in its parts")
    func addresses() {
        let request = WireRequest.get("animals", "a/b ?é", query: pageQuery(cursor: "", limit: 5))
        #expect(request.url(from: "http://h/") == "http://h/v2/animals/a%2Fb%20%3F%C3%A9?cursor=&limit=5")
        #expect(WireRequest.get("animals", "..").url(from: "http://h") == "http://h/v2/animals/%2E%2E")
        #expect(pageQuery(cursor: nil, limit: nil).isEmpty)
    }
}
#endif

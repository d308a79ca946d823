import Cofferdam
import CofferdamState
import SanctuaryApp
import SanctuaryDomain
import Testing

@Suite struct MentioningTextTests {
    @Test(
        arguments: [
            ("", []), ("no mention", ["no mention"]), ("@hydra", ["@hydra"]), ("a @b c", ["a ", "@b", " c"]),
            ("@a@b", ["@a", "@b"]), ("amara@zoo", ["amara@zoo"]), ("@", ["@"]), ("@ b", ["@ b"]), ("@@b", ["@", "@b"]),
            ("(@7-a_b), @Zerberus!", ["(", "@7-a_b", "), ", "@Zerberus", "!"]), ("@ärger", ["@ärger"]),
            ("@hydra's", ["@hydra", "'s"]),
        ] as [(String, [String])]
    )
    func `a mention begins a word by an at sign, and nothing of the text is lost`(text: String, parts: [String]) {
        let mentioning = MentioningText(text)
        #expect(mentioning.parts.map(\.written) == parts)
        #expect(mentioning.written == text)
        #expect(mentioning.shown == text)
        #expect(mentioning.animals.isEmpty)
    }

    private func animal(_ id: String, _ name: String, shown: String) -> Animal {
        Animal(id: AnimalID(id), name: name, displayName: shown, group: .other, legs: .unknown, heads: .unknown)
    }

    @Test(
        arguments: [
            ("@kerberos", "@Zerberus"), ("@KERBEROS", "@Zerberus"), ("@zerberus", "@Zerberus"), ("@1", "@Zerberus"),
            ("@frog", "@frog"), ("@3", "@Frosch"), ("@unicorn", "@unicorn"), ("kerberos", "kerberos"),
            ("@kerberos and @kerberos", "@Zerberus and @Zerberus"),
        ]
    )
    func `an animal is mentioned by its id or by a name that is its alone, and shown by its name`(
        written: String,
        shown: String
    ) async throws {
        let animals = [
            animal("1", "kerberos", shown: "Zerberus"), animal("2", "frog", shown: "Frosch"),
            animal("3", "frog", shown: "Frosch"),
        ]
        let message = Message(
            id: MessageID("m"),
            author: "noor",
            text: written,
            sentAt: Instant(millisecondsSince1970: 0)
        )
        let features = Ports(
            animals: { _ in Page(items: animals, next: nil) },
            messages: { _ in Page(items: [message], next: nil) }
        ).features()
        #expect(try await features.conversation.history() == [message])
        #expect(features.conversation.all.snapshot.contents?.first?.shown.text == shown)
    }

    @Test func `without a catalogue the conversation is there, and mentions are shown as they were written`()
        async throws
    {
        let message = Message(
            id: MessageID("m"),
            author: "noor",
            text: "@hydra!",
            sentAt: Instant(millisecondsSince1970: 0)
        )
        let features = Ports(messages: { _ in Page(items: [message], next: nil) }).features()
        #expect(try await features.conversation.history() == [message])
        #expect(features.conversation.all.snapshot.contents?.first?.shown.text == "@hydra!")
    }

    @Test func `the catalogue is not read if no animal is mentioned`() async throws {
        let asked = Counter()
        let message = Message(
            id: MessageID("m"),
            author: "noor",
            text: "hello",
            sentAt: Instant(millisecondsSince1970: 0)
        )
        let features = Ports(
            animals: { _ in
                asked.add()
                return Page(items: [], next: nil)
            },
            messages: { _ in Page(items: [message], next: nil) }
        ).features()
        _ = try await features.conversation.history()
        #expect(asked.count == 0)
    }
}

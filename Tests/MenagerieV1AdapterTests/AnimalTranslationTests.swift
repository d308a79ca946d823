#if Sandbox
import Cofferdam
import Foundation
import SanctuaryDomain
import Testing

@testable import MenagerieV1
@testable import MenagerieV1Adapter

struct AnimalTranslationTests {
    private func animal(_ kind: String = "mammal", legs: Int = 4, heads: Int = 1) -> MenagerieV1.Animal {
        let json = AnimalJSON(id: 17, name: "deer", kind: kind, legs: legs, heads: heads, photo_url: "http://x/17")
        return MenagerieV1.Animal(json)
    }

    @Test(
        "D2: 0 stays ambiguous, negative is unknown and reported",
        arguments: [
            (4, Count.known(4), false), (1, .known(1), false), (0, .ambiguousZero, false), (-1, .unknown, true),
        ]
    )
    func counts(raw: Int, count: Count, isReported: Bool) throws {
        let log = IssueLog()
        let vendor = Vendor.played(issues: log)
        let translated = try vendor.translate([animal(legs: raw), animal(heads: raw)], by: .animal, "animals")
        #expect(translated[0].legs == count)
        #expect(translated[1].heads == count)
        #expect(log.issues.map(\.path) == (isReported ? ["animals[0].legs", "animals[1].heads"] : []))
    }

    @Test("D4: an unknown kind is kept, reported once, and harms no other animal")
    func unknownKind() throws {
        let log = IssueLog()
        let kinds = ["mammal", "bird", "reptile", "cryptid", "fish", "other"]
        let groups: [AnimalGroup] = [.mammal, .bird, .reptile, .unknown("cryptid"), .fish, .other]
        #expect(kinds.map(NaiveGroup.read) != groups, "the naive handling is to be refused")
        let translated = try Vendor.played(issues: log).translate(kinds.map { animal($0) }, by: .animal, "animals")
        #expect(translated.map(\.group) == groups)
        #expect(
            log.issues == [
                TranslationIssue("unknown kind", at: "animals[3].kind", raw: "cryptid", severity: .warning)
            ]
        )
    }

    @Test("D1: the id is the vendor's number in decimal, and finds its way back")
    func identifier() throws {
        let translated = try Vendor.played().translate(animal(), by: .animal, "animal")
        #expect(translated.id == AnimalID("17"))
        #expect(try translated.id.number() == 17)
        #expect(AnimalID(translated.id.rawValue) == translated.id)
    }

    @Test(
        "D1: an id that V1 cannot have given is not found",
        arguments: [
            "", "017", "+17", "1.0", " 17", "7f9c24e8-3b12-4fef-91e0-56a2d5a7c1ab", "99999999999999999999", "١٧",
        ]
    )
    func foreignIdentifier(raw: String) throws {
        let error = #expect(throws: SanctuaryError.self) { try AnimalID(raw).number() }
        #expect(error?.code == .notFound)
        #expect(error?.subject == raw)
    }

    @Test(
        "GET-03, GET-04: unknown fields are ignored, a missing or wrong one is named",
        arguments: [
            (
                #"{"total":1,"animals":[{"id":1,"name":"a","kind":"k","legs":1,"heads":1,"photo_url":"u","new":[]}]}"#,
                nil
            ),
            (#"{"total":1,"animals":[{"id":1,"name":"a","kind":"k","heads":1,"photo_url":"u"}]}"#, "animals[0].legs"),
            (
                #"{"total":1,"animals":[{"id":"1","name":"a","kind":"k","legs":1,"heads":1,"photo_url":"u"}]}"#,
                "animals[0].id"
            ),
            (
                #"{"total":1,"animals":[{"id":1,"name":null,"kind":"k","legs":1,"heads":1,"photo_url":"u"}]}"#,
                "animals[0].name"
            ),
            (#"{"animals":[]}"#, "total"),
        ]
    )
    func strictDecoding(json: String, path: String?) throws {
        do throws(NSError) {
            _ = try AnimalsJSON.read(json)
            #expect(path == nil)
        } catch {
            let converted = SanctuaryError(error)
            #expect(converted.code == .decoding)
            #expect(converted.subject == path)
        }
    }

    @Test("ERR-05: a page in place of JSON cannot be read")
    func htmlPage() throws {
        let error = #expect(throws: NSError.self) { _ = try AnimalsJSON.read("<html>Welcome to our Wi-Fi</html>") }
        #expect(error.map { SanctuaryError($0).code } == .decoding)
    }
}
#endif

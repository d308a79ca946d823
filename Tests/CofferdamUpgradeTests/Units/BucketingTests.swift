@testable import CofferdamUpgrade
import Testing

@Suite struct BucketingTests {
    @Test(
        arguments: [
            ("abc", 0, 0xB3DD_93FA), ("hello", 0, 0x248B_FA47), ("test", 0, 0xBA6B_D213), ("", 0, 0),
            ("", 1, 0x514E_28B7), ("Hello, world!", 0x9747_B28C, 0x2488_4CBA),
            ("The quick brown fox jumps over the lazy dog", 0x9747_B28C, 0x2FA8_26CD),
            ("ejOoVL", 0, 0), ("bY9fO-", 0, 1), ("SI7p-", 0, 2_147_483_647), ("6LvT0", 0, 2_147_483_648),
            ("ceQdGm", 0, 4_294_967_295),
        ] as [(String, UInt32, UInt32)]
    )
    func `MurmurHash3 has its reference values`(text: String, seed: UInt32, hash: UInt32) {
        #expect(Murmur3.hash(text.utf8, seed: seed) == hash)
    }

    @Test func `MurmurHash3 has SMHasher's verification value`() {
        var hashes: [UInt8] = []
        for length in 0..<256 {
            let key = (0..<length).map { UInt8($0) }
            let hash = Murmur3.hash(key, seed: UInt32(256 - length))
            hashes += (0..<4).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt32($0))) }
        }
        #expect(Murmur3.hash(hashes, seed: 0) == 0xB0F5_7EE3)
    }

    @Test func `it does not matter in which pieces bytes come`() {
        let bytes = Array("The quick brown fox".utf8)
        for cut in 0...bytes.count {
            var murmur = Murmur3(seed: 7)
            murmur.combine(bytes[..<cut])
            murmur.combine(bytes[cut...])
            #expect(murmur.value == Murmur3.hash(bytes, seed: 7))
        }
    }

    @Test(arguments: [("user-0", 660_111_724, 1536), ("user-1", 2_364_192_560, 5504)] as [(String, UInt32, Int)])
    func `a unit has its bucket`(unit: String, hash: UInt32, bucket: Int) throws {
        let bucketing = try Bucketing(salt: "exp-1")
        #expect(bucketing.hash(of: unit, for: .gate) == hash)
        #expect(bucketing.bucket(of: unit) == bucket)
        #expect(bucketing.admits(unit, share: try #require(Share(tenThousandths: bucket + 1))))
        #expect(!bucketing.admits(unit, share: try #require(Share(tenThousandths: bucket))))
    }

    @Test func `100,000 sequential units spread evenly over 100 bins`() throws {
        let bucketing = try Bucketing(salt: "catalogue")
        for purpose in Bucketing.Purpose.allCases {
            var bins = Array(repeating: 0, count: 100)
            for unit in 0..<100_000 { bins[bucketing.bucket(of: "user-\(unit)", for: purpose) / 100] += 1 }
            let chiSquare = bins.reduce(0.0) { $0 + Double(($1 - 1000) * ($1 - 1000)) / 1000 }
            #expect(chiSquare < 148.23)
        }
    }

    @Test func `a unit that is admitted at a share is admitted at each larger one, and all are admitted at all`() throws
    {
        let bucketing = try Bucketing(salt: "catalogue")
        let shares: [Share] = [.none, 1, 100, 500, 1000, 5000, 9999, .all]
        for unit in 0..<2_000 {
            let admitted = shares.map { bucketing.admits("user-\(unit)", share: $0) }
            #expect(admitted == admitted.sorted { !$0 && $1 })
            #expect(admitted.first == false)
            #expect(admitted.last == true)
        }
    }

    @Test func `a missing unit is never admitted`() throws {
        #expect(!(try Bucketing(salt: "catalogue").admits(nil, share: .all)))
    }

    @Test func `being sampled says nothing about being admitted`() throws {
        let bucketing = try Bucketing(salt: "catalogue")
        let units = (0..<10_000).map { "user-\($0)" }
        let both = units.count {
            bucketing.admits($0, share: 5000) && bucketing.admits($0, share: 5000, for: .sampling)
        }
        #expect((2350...2650).contains(both))
    }

    @Test func `units are told apart by their bytes`() throws {
        let bucketing = try Bucketing(salt: "é")
        #expect(bucketing.bucket(of: "\u{e9}") != bucketing.bucket(of: "e\u{301}"))
    }

    @Test(arguments: [":", "a:", "a:b"])
    func `a salt with a colon is refused`(salt: String) throws {
        let error = #expect(throws: BucketingError.self) { try Bucketing(salt: salt) }
        #expect(error?.description.contains("\"\(salt)\"") == true)
        // The colon belongs to the unit's name, not to the salt.
        #expect(try Bucketing(salt: "a").bucket(of: "b:c") != Bucketing(salt: "b").bucket(of: "a:c"))
    }
}

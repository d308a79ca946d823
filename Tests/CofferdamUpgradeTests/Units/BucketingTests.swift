import Testing

@testable import CofferdamUpgrade

@Suite struct BucketingTests {
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

import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import Testing

/// The file of a device of an earlier version, which had texts in place of marks, goes on.
@Suite struct EarlierDeviceTests {
    private static let stage = Stage.candidateWithFallback
    private static let settled = UnitKey.key(of: "settled")
    private static let open = UnitKey.key(of: "open")

    /// Two units called once: one is settled, and the other failed and got an answer in an open window.
    private static let counts = """
        {
          "counts" : {
            "candidate" : {
              "" : {"begun" : {"" : 1, "answer=gone\\u001ffailed" : 1}, "settled" : {"" : 1}},
              "o" : {"begun" : {"" : 1, "answer=gone\\u001ffailed" : 1}, "settled" : {"" : 1}}
            }
          },
          "epoch" : 3, "operations" : ["o"], "reads" : ["o"], "series" : "s", "timed" : 0,
          "key" : {
            "binary" : "", "comparison" : "", "expectations" : {}, "margin" : 0.001,
            "stage" : "candidateWithFallback", "window" : 600
          },
          "openings" : {"failures" : 0, "total" : 1}
        }
        """

    /// The file of a device, with a settled unit that the server has, and an open one that it does not.
    private static var device: String {
        """
        {
          "record" : \(counts), "device" : "0123456789abcdef",
          "rows" : {
            "units" : {
              "candidate" : [
                \(settled), {"settled" : 9223372036854775809, "open" : {}},
                \(open), {"settled" : 0, "open" : {
                  "0" : {"began" : 0, "outcome" : "answer=gone\\u001ffailed"},
                  "63" : {"began" : 0, "outcome" : "answer=gone\\u001ffailed"}
                }}
              ]
            }
          },
          "unsent" : [
            {"tally" : "candidate", "unit" : \(open), "operation" : "o"},
            {"outcome" : "answer=gone\\u001ffailed", "isSettled" : false}
          ]
        }
        """
    }

    @Test func `the file of a device goes on: what the server lacks is sent, and no unit counts twice`() throws {
        var evidence = try JSONDecoder().decode(DeviceEvidence.self, from: Data(Self.device.utf8))
        func report(_ evidence: DeviceEvidence) -> EvidenceReport? {
            evidence.report(window: 600, build: "", side: nil, limit: 100) { $0.hexadecimal }
        }
        let window = EvidenceReport.Window(
            tally: "candidate",
            operation: "o",
            marks: ["answer=gone", "failed"],
            isSettled: false,
            isRead: true
        )
        #expect(report(evidence)?.units == [.init(unit: Self.open.hexadecimal, windows: [window])])
        let again = try JSONDecoder().decode(DeviceEvidence.self, from: try JSONEncoder().encode(evidence))
        #expect(report(again) == report(evidence))
        let before = evidence.counts(under: EpochKey(stage: Self.stage))
        var rows = EvidenceRows(EpochKey(stage: Self.stage), epoch: 3)
        let place = rows.names.place(of: "o")
        let operation = try #require(place)
        rows.rows = [
            EvidenceRow(
                slot: .init(unit: Self.settled, tally: .candidate, operation: operation),
                state: .init(marks: .failed, began: 0, isSettled: true)
            )
        ]
        #expect(before != nil && evidence.merge(rows) == before)
        #expect(report(evidence) == report(again))
    }

    @Test(arguments: [#"{"rows" : {"units" : {}}, "unsent" : []}"#, "{}"])
    func `the file of a device that has counted nothing yet has nothing to send`(file: String) throws {
        let evidence = try JSONDecoder().decode(DeviceEvidence.self, from: Data(file.utf8))
        #expect(evidence.epoch == nil)
        #expect(evidence.report(window: 600, build: "", side: nil, limit: 100) { $0.hexadecimal } == nil)
        let again = try JSONDecoder().decode(DeviceEvidence.self, from: try JSONEncoder().encode(evidence))
        #expect(again.epoch == nil)
    }
}

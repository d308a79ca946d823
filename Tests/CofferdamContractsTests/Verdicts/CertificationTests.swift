import CofferdamContracts
import Testing

@Suite struct CertificationTests {
    private func report(_ live: ContractReport.Outcome, _ fake: ContractReport.Outcome) -> ContractReport {
        var report = Made.report([(Made.rule("LIST-01"), live, fake)])
        report.adapters[1].identity.kind = .fake
        return report
    }

    private let earlier = Certification(
        fake: "v2",
        live: ["v1"],
        digest: "before",
        fixtures: "f",
        date: "2026-11-01"
    )

    @Test func `a run in which the fake and a live adapter pass certifies the fake, with digest and date`() {
        var report = report(.passed, .passed)
        report.certify(after: [earlier])
        let certification = Certification(
            fake: "v2",
            live: ["v1"],
            digest: "d16e57",
            fixtures: "f00d",
            date: Made.today
        )
        #expect(report.certifications == [certification])
    }

    @Test(arguments: [
        (ContractReport.Outcome.failed, ContractReport.Outcome.passed), (.passed, .failed), (.passed, .skipped),
    ])
    func `any other run shows the last certification`(_ live: ContractReport.Outcome, _ fake: ContractReport.Outcome) {
        var report = report(live, fake)
        report.certify(after: [earlier])
        #expect(report.certifications == [earlier])
        report.certify(after: [])
        #expect(report.certifications.isEmpty)
    }

    @Test func `a part of a run certifies nothing`() {
        var report = report(.passed, .passed)
        report.rules.append(Made.rule("LIST-02"))
        #expect(report.newCertifications.isEmpty)
    }
}

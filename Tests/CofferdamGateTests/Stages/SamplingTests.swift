import CofferdamGate
import Testing

@Suite struct SamplingTests {
    @Test(
        arguments: [
            (Stage.shadow(sample: 1001), 0, 1001), (.shadow(sample: 1001), 1, 500), (.shadow(sample: 1), 1, 0),
            (.shadow(sample: 1001), 70, 0), (.canary(share: 500), 0, 2000), (.canary(share: 500), 2, 500),
            (.candidateShadowed(sample: 400), 1, 200), (.legacyOnly, 0, nil), (.candidateWithFallback, 0, nil),
            (.candidateOnly, 0, nil),
        ] as [(Stage, Int, Int?)]
    )
    func `a sample is that of the stage or of the canary's rest, halved each time that it did harm`(
        stage: Stage,
        halvings: Int,
        sample: Int?
    ) {
        let sampling = Sampling(canaryRest: 2000, halvings: halvings)
        #expect(sampling.sample(at: stage)?.tenThousandths == sample)
    }
}

/// The rows of the suite `providers`.
func providersBenchmark() throws -> [Measurement] {
    try translateBenchmark()
}

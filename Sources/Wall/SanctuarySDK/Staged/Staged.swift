#if Staged
    import CofferdamUpgrade
    import SanctuaryDomain

    extension LinkedSDK {
        /// Both SDKs are linked; the variable `COFFERDAM_STAGE` says which one answers, and only that one is opened.
        static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
            let router = Router<SanctuaryServices>(
                legacy: { try await openV1(at: url, configuration) },
                candidate: { try await openV2(at: url, configuration) }
            )
            do {
                let stage = try await EnvironmentStageSource(read: { configuration.environment[$0] }).stage()
                return try await router.port(at: stage)
            } catch let error as StageError {
                throw SanctuaryError(.invalidRequest, error.message, subject: error.subject)
            }
        }
    }
#endif

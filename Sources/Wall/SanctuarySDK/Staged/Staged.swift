#if Staged
    import CofferdamUpgrade
    import SanctuaryDomain

    extension LinkedSDK {
        /// Both SDKs are linked, and the stage of the upgrade says which of them is opened, which answers, and which is asked in
        /// the shadow: see ``StagedSanctuary``.
        static func services(at url: String, _ configuration: SDKConfiguration) async throws -> SanctuaryServices {
            do {
                let (state, store) = try await stage(by: configuration.environment)
                return try await StagedSanctuary(at: url, configuration, state: state, store: store).services()
            } catch let error as StageError {
                throw SanctuaryError(.invalidRequest, error.message, subject: error.subject)
            } catch let error as UpgradeStoreError {
                throw SanctuaryError(.unavailable, error.message, subject: error.subject)
            }
        }

        /// By the variable `COFFERDAM_STAGE`, if it is set; else what stands in the directory that `COFFERDAM_UPGRADE_STATE`
        /// names, as `vendorctl upgrade` keeps it there; else `legacyOnly`.
        private static func stage(
            by environment: [String: String]
        ) async throws -> (StageState, (any UpgradeStore)?) {
            let source = EnvironmentStageSource(read: { environment[$0] })
            let stage = try await source.stage()
            let isSet = environment[source.variable]?.isEmpty == false
            guard !isSet, let directory = environment["COFFERDAM_UPGRADE_STATE"], !directory.isEmpty else {
                return (StageState(stage: stage), nil)
            }
            let store = try FileUpgradeStore(directory: directory)
            return (try await store.read(StagedSanctuary.capability)?.routing ?? StageState(), store)
        }
    }
#endif

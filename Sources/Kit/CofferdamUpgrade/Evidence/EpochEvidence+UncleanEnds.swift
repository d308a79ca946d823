extension EpochEvidence {
    /// A process ended while the candidate was called: a failure for each unit whose calls were under way, as if the candidate had
    /// answered them by an error. All calls of one unit are one failure, and nobody's are one together.
    ///
    /// Which units they were is not known. So none is an active unit beside those that were seen: the share of the units, which
    /// failures are held against, is what it was, however many calls were under way. Only where none was seen there is one.
    mutating func record(_ end: InFlightFile.UncleanEnd, id: String) {
        let units = end.units + end.shadowUnits > 0 ? end.units : 1
        // Where the candidate answers nobody by its stage, comparisons are all that is looked at.
        let compared = key.stage.side == .legacy ? units + end.shadowUnits : end.shadowUnits
        guard !isPaused else { return }
        for number in 0..<compared {
            comparisons.recordUnseen(Comparison(outcome: .candidateFailed), "unclean end \(id), \(number)")
        }
        for number in compared..<(units + end.shadowUnits) {
            candidate.recordUnseen(.failed, "unclean end \(id), \(number)")
        }
    }
}

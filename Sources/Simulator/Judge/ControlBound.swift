package import Wire

/// The number of operations of a control log that are effective, regardless of their content.
///
/// From `docs/protocol/control-log.md`, *How long a log is*: the numbers and the rule are repeated here, so that a
/// mistake in the core shows.
package struct ControlBound: Hashable {
    /// The bound of a log whose right is an ownership, or a capability of level *admin*.
    package var ofRulers: UInt64 = 8_192
    /// The bound of a log whose right is another one, or not known.
    package var ofOthers: UInt64 = 1_024

    /// The bound that the protocol documents.
    package init() {}

    /// A lower bound, for a history in which logs fill up soon.
    init(ofRulers: UInt64, ofOthers: UInt64) {
        (self.ofRulers, self.ofOthers) = (ofRulers, ofOthers)
    }

    /// Returns the bound of a log under a right.
    /// - Parameters:
    ///   - right: The right.
    ///   - model: The rights known so far; `nil` if none are known yet.
    /// - Returns: The number of operations.
    package func size(under right: Hash, by model: RightsModel?) -> UInt64 {
        guard let model, model.account(right) != nil else { return ofOthers }
        let isOwnership = model.owners.contains { $0.right == right }
        return isOwnership || model.tokens[right]?.rights.level == .admin ? ofRulers : ofOthers
    }
}

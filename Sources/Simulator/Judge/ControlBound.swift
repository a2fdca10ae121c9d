package import Wire

/// How many operations of a control log count, whatever they say.
///
/// From `docs/protocol/control-log.md`, *How long a log is*: the numbers and the rule stand here once more, so that a mistake in the
/// core's is seen.
package struct ControlBound: Hashable {
    /// Of a log whose right is an ownership, or a capability of level *admin*.
    package var ofRulers: UInt64 = 8_192
    /// Of a log whose right is another one, or not known.
    package var ofOthers: UInt64 = 1_024

    /// The bound of the page.
    package init() {}

    /// A lower bound, for a history whose logs are soon full.
    init(ofRulers: UInt64, ofOthers: UInt64) {
        (self.ofRulers, self.ofOthers) = (ofRulers, ofOthers)
    }

    /// The bound of a log under a right.
    /// - Parameters:
    ///   - right: The right.
    ///   - model: What is known of rights; `nil` for nothing yet.
    /// - Returns: Operations.
    package func size(under right: Hash, by model: RightsModel?) -> UInt64 {
        guard let model, model.account(right) != nil else { return ofOthers }
        let isOwnership = model.owners.contains { $0.right == right }
        return isOwnership || model.tokens[right]?.rights.level == .admin ? ofRulers : ofOthers
    }
}

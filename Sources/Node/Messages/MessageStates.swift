import KairanInterface
import Sync

extension MessageRow.State {
    /// The word of the interface; `nil` for a message that programs do not see.
    var word: KairanInterface.Message.State? {
        switch self {
        case .sent: .sent
        case .waiting: .waiting
        case .fetching: .fetching
        case .finished: .finished
        case .forOthers: .forOthers
        case .failed: .failed
        case .earlier: .earlier
        case .hidden: nil
        }
    }
}

extension KairanInterface.MessageDelivery.State {
    init(_ state: SentMessages.Delivery.State) {
        switch state {
        case .queued: self = .queued
        case .relayed: self = .relayed
        case .delivered: self = .delivered
        case .read: self = .read
        case .failed: self = .failed
        case .unconfirmed: self = .unconfirmed
        }
    }
}

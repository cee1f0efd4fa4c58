import torch

from saccade.attention.alignment import Hard
from saccade.layers.glimpses import GlimpseSensor, RecurrentGlimpses


def point(picture, row, column):
    return picture[row][column] if 0 <= row < len(picture) and 0 <= column < len(picture) else 0.0


def plain_pieces(picture, side, down, right):
    """The sharp piece around a place, and the mean of every four points of one twice as wide."""
    half = side // 2
    row, column = half * down + half // 2, half * right + half // 2
    sharp = [point(picture, row - half + i, column - half + j) for i in range(side) for j in range(side)]
    wide = [
        sum(point(picture, row - side + 2 * i + a, column - side + 2 * j + b) for a in (0, 1) for b in (0, 1)) / 4
        for i in range(side)
        for j in range(side)
    ]
    return sharp + wide


def test_pieces_are_cut_around_every_place_of_the_grid():
    size, side = 12, 4
    pictures = torch.randn(2, size, size, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    found = GlimpseSensor(side)(pictures)
    across = size // 2
    for row, picture in enumerate(pictures.tolist()):
        for place in range(across * across):
            expected = plain_pieces(picture, side, *divmod(place, across))
            torch.testing.assert_close(found[row, place], torch.tensor(expected, dtype=torch.float64))


@torch.no_grad()
def test_glimpses_follow_the_equations_one_after_the_other():
    torch.manual_seed(2)
    model = RecurrentGlimpses(size=12, side=4, glimpses=3, width=7, classes=5, alignment=Hard()).double().eval()
    picture = torch.randn(12, 12, dtype=torch.float64)
    state, place, places = torch.zeros(7, dtype=torch.float64), 3 * 6 + 3, []
    for _ in range(3):
        places.append(place)
        seen = torch.tensor(plain_pieces(picture.tolist(), 4, *divmod(place, 6)), dtype=torch.float64)
        g = (model.piece.weight @ seen + model.piece.bias + model.place.weight[place]).clamp(min=0)
        core = model.core
        inner, outer = core.weight_ih @ g + core.bias_ih, core.weight_hh @ state + core.bias_hh
        reset, update = ((inner + outer)[part * 7 : part * 7 + 7].sigmoid() for part in (0, 1))
        new = (inner[14:] + reset * outer[14:]).tanh()
        state = (1 - update) * new + update * state
        place = int((model.look.weight @ state + model.look.bias).argmax())
    found, looked_at = model.read(picture.unsqueeze(0))
    assert looked_at[0].tolist() == places
    torch.testing.assert_close(found[0], state)
    torch.testing.assert_close(model(picture.unsqueeze(0))[0], model.output(state))

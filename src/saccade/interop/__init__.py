"""Models in the formats of other programs.

In reading order:

    trained_model.py           what an export needs to know about a model
    exported_folder.py         the folder of an export: whole or absent, known again as ours
    ctranslate2.py             a Transformer for CTranslate2
    huggingface_json.py        its JSON files
    huggingface_ids.py         which id each piece has in an export
    huggingface_weights.py     its tensors under the names of Hugging Face's Marian and Pegasus
    huggingface_tokenizer.py   its tokenizers as the files of MarianTokenizer
    huggingface_languages.py   the languages of M2M100 and NLLB, and the numbers of their names
    huggingface_m2m100.py      a model of several languages given back as M2M100
    huggingface_card.py        its model card
    huggingface_export.py      all of it in one folder, for Hugging Face transformers
    onnx.py                    the same as three graphs, for onnxruntime
    checkpoint_files.py        weights of other programs, read without running code
    imported_model.py          what an import makes of a model
    huggingface_vocabulary.py  the tokenizers of a downloaded Hugging Face folder
    huggingface_generation.py  its search settings
    huggingface_import.py      all of it as one of our models
    marian_yaml.py             the YAML that Marian writes, and no more of it
    marian_vocabulary.py       the tokenizers of a folder of Marian
    marian_weights.py          its tensors by Marian's names
    marian_import.py           all of it as one of our models
    own_export.py              our own export, read back bit for bit
    imports.py                 what is to be imported, recognised by its files
"""
